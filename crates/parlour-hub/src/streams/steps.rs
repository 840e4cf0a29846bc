//! Steps of one answer, such as tool calls, with their limits.

use parlour_core::{
    Code, Refusal, Timestamp, limits,
    step::{FinishStep, StartStep, Step},
};

/// The steps of one answer, within their limits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    steps: Vec<Step>,
    value_bytes: usize,
}

/// A step after a request of its producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The step has changed and must be published.
    Changed(Step),
    /// The request repeats an earlier one.
    Repeated(Step),
}

impl Steps {
    /// Restores saved steps.
    pub(super) fn new(steps: Vec<Step>) -> Self {
        let value_bytes = steps.iter().map(Step::value_bytes).sum();
        Self { steps, value_bytes }
    }

    /// All steps, in the order in which they began.
    pub(super) fn as_slice(&self) -> &[Step] {
        &self.steps
    }

    /// Begins a step. The same request again changes nothing; another one under the same id is refused.
    pub(super) fn start(&mut self, request: StartStep, now: Timestamp) -> Result<Progress, Refusal> {
        if let Some(known) = self.steps.iter().find(|step| step.id == request.id) {
            let is_same = known.name == request.name && known.input == request.input;
            return if is_same { Ok(Progress::Repeated(known.clone())) } else { Err(refuse_reuse(&known.id)) };
        }
        if self.steps.len() >= limits::STEPS_PER_MESSAGE_MAX {
            let detail = format!("an answer has at most {} steps", limits::STEPS_PER_MESSAGE_MAX);
            return Err(Refusal::new(Code::Full, detail));
        }
        let step = request.begun(now);
        self.reserve_bytes(step.value_bytes(), "input")?;
        self.steps.push(step.clone());
        Ok(Progress::Changed(step))
    }

    /// Ends a step. The same request again changes nothing; another end is refused.
    pub(super) fn finish(&mut self, id: &str, end: FinishStep, now: Timestamp) -> Result<Progress, Refusal> {
        let refuse = || Refusal::not_found("step", id).at("step_id");
        let index = self.steps.iter().position(|step| step.id == id).ok_or_else(refuse)?;
        let known = &self.steps[index];
        if known.finished_at.is_some() {
            let is_same = known.output == end.output && known.is_error == end.is_error;
            return if is_same { Ok(Progress::Repeated(known.clone())) } else { Err(refuse_reuse(id)) };
        }
        let ended = known.clone().ended(end, now);
        self.reserve_bytes(ended.value_bytes() - known.value_bytes(), "output")?;
        self.steps[index] = ended.clone();
        Ok(Progress::Changed(ended))
    }

    fn reserve_bytes(&mut self, bytes: usize, field: &str) -> Result<(), Refusal> {
        let (bytes, most) = (self.value_bytes + bytes, limits::STEPS_BYTES_PER_MESSAGE_MAX);
        if bytes > most {
            let detail = format!("the steps of an answer hold at most {most} bytes of inputs and outputs together");
            return Err(Refusal::new(Code::Full, detail).at(field));
        }
        self.value_bytes = bytes;
        Ok(())
    }
}

fn refuse_reuse(id: &str) -> Refusal {
    Refusal::new(Code::ClientIdReused, format!("step {id} was already sent with other content")).at("id")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn start(id: impl Into<String>, input: Value) -> StartStep {
        StartStep { id: id.into(), name: "search".into(), input: Some(input) }
    }

    fn finish(output: Value) -> FinishStep {
        FinishStep { output: Some(output), is_error: false }
    }

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    #[test]
    fn a_step_begins_once_and_ends_once() {
        let mut steps = Steps::default();
        let begun = steps.start(start("a", json!(1)), at(1)).expect("begun");
        assert!(matches!(begun, Progress::Changed(step) if step.started_at == at(1)));
        assert!(
            matches!(steps.start(start("a", json!(1)), at(2)), Ok(Progress::Repeated(step)) if step.started_at == at(1))
        );
        assert!(matches!(steps.finish("a", finish(json!(2)), at(3)), Ok(Progress::Changed(_))));
        assert!(
            matches!(steps.finish("a", finish(json!(2)), at(4)), Ok(Progress::Repeated(step)) if step.finished_at == Some(at(3)))
        );
        assert_eq!(steps.as_slice().len(), 1);
    }

    #[test]
    fn a_reused_id_with_other_content_is_refused() {
        let mut steps = Steps::default();
        steps.start(start("a", json!(1)), at(1)).expect("begun");
        assert_eq!(steps.start(start("a", json!(2)), at(1)).expect_err("other").code, Code::ClientIdReused);
        steps.finish("a", finish(json!(1)), at(1)).expect("ended");
        assert_eq!(steps.finish("a", finish(json!(2)), at(1)).expect_err("other").code, Code::ClientIdReused);
    }

    #[test]
    fn an_unknown_step_cannot_end() {
        assert_eq!(Steps::default().finish("a", finish(json!(1)), at(1)).expect_err("none").code, Code::NotFound);
    }

    #[test]
    fn the_number_of_steps_is_limited() {
        let mut steps = Steps::default();
        for index in 0..limits::STEPS_PER_MESSAGE_MAX {
            steps.start(start(format!("s{index}"), json!(1)), at(1)).expect("room");
        }
        assert_eq!(steps.start(start("one more", json!(1)), at(1)).expect_err("full").code, Code::Full);
        steps.finish("s0", finish(json!(1)), at(1)).expect("a started step may end");
    }

    #[test]
    fn the_total_size_of_values_is_limited_and_a_refused_value_does_not_count() {
        let mut steps = Steps::default();
        let wide = Value::String("x".repeat(limits::STEP_VALUE_BYTES_MAX - 2));
        let count = limits::STEPS_BYTES_PER_MESSAGE_MAX / limits::STEP_VALUE_BYTES_MAX;
        for index in 0..count {
            steps.start(start(format!("s{index}"), wide.clone()), at(1)).expect("room");
        }
        assert_eq!(steps.start(start("more", json!(1)), at(1)).expect_err("full").code, Code::Full);
        assert_eq!(steps.finish("s0", finish(json!(1)), at(1)).expect_err("full").field.as_deref(), Some("output"));
        assert_eq!(steps.as_slice().len(), count);
        steps.finish("s0", FinishStep::default(), at(1)).expect("an empty output always fits");
        assert_eq!(Steps::new(steps.as_slice().to_vec()), steps);
    }
}
