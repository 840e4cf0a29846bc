//! How deep the values of a message may go: a request is read only so deep, and a message stands some levels down in it.

use super::ImportedMessage;
use crate::{Code, Refusal, levels::levels_of, limits};

/// Levels around the fields of a message: the body of the request, the list of messages, the message itself.
const AROUND_FIELDS: usize = 3;
/// Levels around the values of a step: the list of steps and the step, too.
const AROUND_STEP_VALUES: usize = AROUND_FIELDS + 2;

impl ImportedMessage {
    /// Levels that the content and the metadata of a message may have, each for itself.
    pub const FIELD_LEVELS_MAX: usize = limits::REQUEST_DEPTH_MAX - AROUND_FIELDS;
    const STEP_VALUE_LEVELS_MAX: usize = limits::REQUEST_DEPTH_MAX - AROUND_STEP_VALUES;

    /// Refuses a message that no request could carry.
    pub(super) fn check_depth(&self) -> Result<(), Refusal> {
        check("content", self.content.as_ref().map_or(0, levels_of), Self::FIELD_LEVELS_MAX)?;
        let metadata = self.metadata.values().map(levels_of).max().unwrap_or(0);
        check("metadata", 1 + metadata, Self::FIELD_LEVELS_MAX)?;
        for (index, step) in self.steps.iter().enumerate() {
            for (name, value) in [("input", &step.input), ("output", &step.output)] {
                let levels = value.as_ref().map_or(0, levels_of);
                check(&format!("steps[{index}].{name}"), levels, Self::STEP_VALUE_LEVELS_MAX)?;
            }
        }
        Ok(())
    }
}

fn check(field: &str, levels: usize, levels_max: usize) -> Result<(), Refusal> {
    if levels <= levels_max {
        return Ok(());
    }
    let detail = format!("this has {levels} levels of lists and objects; at most {levels_max} are taken");
    Err(Refusal::new(Code::TooDeep, detail).at(field))
}
