//! Several entries, one after the other, in one write.

use parlour_core::{Refusal, event::Event};
use parlour_hub::ports::AppendedBatch;

use super::{Prepared, Recorded, append};
use crate::sqlite::{
    error::{StoreError, StoreResult},
    tx::Tx,
};

/// What became of several entries, with all that their events say.
pub(in crate::sqlite) struct RecordedSeries {
    recorded: Vec<Recorded>,
    refusal: Option<Refusal>,
}

impl RecordedSeries {
    /// The events as they were written, in order.
    pub(in crate::sqlite) fn events(&self) -> Vec<Event> {
        self.recorded.iter().flat_map(Recorded::events).collect()
    }

    /// What the caller is told.
    pub(in crate::sqlite) fn into_series(self) -> AppendedBatch {
        let appended = self.recorded.into_iter().map(|recorded| recorded.appended).collect();
        AppendedBatch { appended, refusal: self.refusal }
    }
}

/// Makes the changes of the entries in order, up to the first that is refused.
pub(in crate::sqlite) fn append_all(tx: &Tx<'_>, prepared: Vec<Prepared>) -> StoreResult<RecordedSeries> {
    let mut series = RecordedSeries { recorded: Vec::with_capacity(prepared.len()), refusal: None };
    for entry in prepared {
        match append_or_undo(tx, entry) {
            Ok(recorded) => series.recorded.push(recorded),
            Err(StoreError::Refused(refusal)) => {
                series.refusal = Some(refusal);
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(series)
}

/// Makes the change of one entry; when it is refused, nothing of it stays.
fn append_or_undo(tx: &Tx<'_>, entry: Prepared) -> StoreResult<Recorded> {
    let mark = tx.mark();
    tx.statement("SAVEPOINT entry")?.raw_execute()?;
    let outcome = append(tx, entry);
    if let Err(StoreError::Refused(_)) = &outcome {
        tx.forget_after(mark);
        tx.statement("ROLLBACK TO entry")?.raw_execute()?;
    }
    if matches!(&outcome, Ok(_) | Err(StoreError::Refused(_))) {
        tx.statement("RELEASE entry")?.raw_execute()?;
    }
    outcome
}
