//! Steps: what the producer of an answer does on the way to it, for example one call of a tool.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Refusal, Timestamp, limits, post::check_count, text};

/// One step on the way to an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Step {
    /// The producer's own id for the step, unique in the answer.
    pub id: String,
    /// The action, for example the name of a tool.
    pub name: String,
    /// The input.
    #[serde(default, skip_serializing_if = "is_absent")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub input: Option<Value>,
    /// The output.
    #[serde(default, skip_serializing_if = "is_absent")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub output: Option<Value>,
    /// Whether it went wrong.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended; absent while it runs, and for ever when the answer ended before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
}

/// A request to begin a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StartStep {
    /// The producer's own id for the step, unique in the answer.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128, pattern = "^[!-.0-~]+$"))]
    pub id: String,
    /// The action.
    #[cfg_attr(feature = "schema", schema(min_length = 1, max_length = 128))]
    pub name: String,
    /// The input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub input: Option<Value>,
}

/// A request to end a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct FinishStep {
    /// The output.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Value))]
    pub output: Option<Value>,
    /// Whether it went wrong.
    pub is_error: bool,
}

/// Whether a step has no value. Null is left out: it is read as an absent value.
fn is_absent(value: &Option<Value>) -> bool {
    value.as_ref().is_none_or(Value::is_null)
}

impl StartStep {
    /// Refuses a step with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        check_step_id(&self.id)?;
        check_name(&self.name)?;
        check_value("input", self.input.as_ref())
    }

    /// The step, started at this time.
    pub fn begun(self, at: Timestamp) -> Step {
        let Self { id, name, input } = self;
        Step { id, name, input, output: None, is_error: false, started_at: at, finished_at: None }
    }
}

impl FinishStep {
    /// Refuses an end with a value out of bounds.
    pub fn check(&self) -> Result<(), Refusal> {
        check_value("output", self.output.as_ref())
    }
}

impl Step {
    /// The step, ended at this time.
    #[must_use]
    pub fn ended(self, end: FinishStep, at: Timestamp) -> Self {
        Self { output: end.output, is_error: end.is_error, finished_at: Some(at), ..self }
    }

    /// Refuses a step with a value out of bounds, or with the id of one of the others.
    fn check<'a>(&'a self, others: &mut HashSet<&'a str>) -> Result<(), Refusal> {
        check_step_id(&self.id)?;
        if !others.insert(&self.id) {
            return Err(Refusal::invalid("another step of the message has this id").at("id"));
        }
        check_name(&self.name)?;
        check_value("input", self.input.as_ref())?;
        check_value("output", self.output.as_ref())
    }

    /// The size of its values in bytes.
    pub fn value_bytes(&self) -> usize {
        [&self.input, &self.output].into_iter().flatten().map(json_bytes).sum()
    }
}

/// Refuses the steps of a message when one of them, or all together, are out of range.
pub(crate) fn check_steps(steps: &[Step]) -> Result<(), Refusal> {
    check_count("steps", steps.len(), limits::STEPS_PER_MESSAGE_MAX)?;
    let mut ids = HashSet::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        step.check(&mut ids).map_err(|refusal| refusal.at(&format!("steps[{index}]")))?;
    }
    let (bytes, most) = (steps.iter().map(Step::value_bytes).sum::<usize>(), limits::STEPS_BYTES_PER_MESSAGE_MAX);
    if bytes <= most {
        return Ok(());
    }
    Err(Refusal::out_of_bounds(format!(
        "the inputs and outputs of all steps have {bytes} bytes; at most {most} are allowed"
    ))
    .at("steps"))
}

/// Refuses a step id that is empty, too long, or not usable in a URL.
pub fn check_step_id(id: &str) -> Result<(), Refusal> {
    let is_plain = (1..=limits::STEP_NAME_CHARS_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'/');
    if is_plain {
        return Ok(());
    }
    let most = limits::STEP_NAME_CHARS_MAX;
    Err(Refusal::out_of_bounds(format!("the id of a step has 1 to {most} visible ASCII characters without a slash"))
        .at("id"))
}

fn check_name(name: &str) -> Result<(), Refusal> {
    let checked = text::check_not_blank(name).and_then(|()| text::check_text(name, limits::STEP_NAME_CHARS_MAX));
    checked.map_err(|refusal| refusal.at("name"))
}

fn check_value(field: &str, value: Option<&Value>) -> Result<(), Refusal> {
    let bytes = value.map_or(0, json_bytes);
    if bytes <= limits::STEP_VALUE_BYTES_MAX {
        return Ok(());
    }
    let most = limits::STEP_VALUE_BYTES_MAX;
    Err(Refusal::out_of_bounds(format!("{field} has {bytes} bytes as JSON; at most {most} are allowed")).at(field))
}

fn json_bytes(value: &Value) -> usize {
    serde_json::to_vec(value).map_or(usize::MAX, |json| json.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn start(id: &str, name: &str) -> StartStep {
        StartStep { id: id.into(), name: name.into(), input: Some(json!({"q": 1})) }
    }

    #[test]
    fn a_step_begins_and_ends() {
        let begun = start("s1", "search").begun(Timestamp::from_millis(1));
        assert_eq!((begun.finished_at, begun.value_bytes()), (None, 7));
        let end = FinishStep { output: Some(json!("hit")), is_error: false };
        let ended = begun.ended(end, Timestamp::from_millis(2));
        assert_eq!((ended.finished_at, ended.value_bytes()), (Some(Timestamp::from_millis(2)), 12));
    }

    #[test]
    fn ids_and_names_are_bounded() {
        assert_eq!(start("s1", "search").check(), Ok(()));
        let long = "x".repeat(limits::STEP_NAME_CHARS_MAX + 1);
        for (id, name, field) in [
            ("", "a", "id"),
            ("a b", "a", "id"),
            ("a/b", "a", "id"),
            (&long, "a", "id"),
            ("a", " ", "name"),
            ("a", &long, "name"),
        ] {
            assert_eq!(start(id, name).check().expect_err(id).field.as_deref(), Some(field));
        }
    }

    fn done(id: &str) -> Step {
        start(id, "search").begun(Timestamp::from_millis(1))
    }

    fn refused(steps: &[Step]) -> Option<String> {
        check_steps(steps).expect_err("refused").field
    }

    #[test]
    fn the_step_ids_of_an_answer_are_unique() {
        assert_eq!(check_steps(&[done("a"), done("b")]), Ok(()));
        assert_eq!(refused(&[done("a"), done("b"), done("a")]).as_deref(), Some("steps[2].id"));
    }

    #[test]
    fn each_step_and_all_steps_of_an_answer_together_are_limited() {
        let wide = Some(Value::String("x".repeat(limits::STEP_VALUE_BYTES_MAX)));
        let nearly = Some(Value::String("x".repeat(limits::STEP_VALUE_BYTES_MAX - 2)));
        assert_eq!(refused(&[done(" ")]).as_deref(), Some("steps[0].id"));
        assert_eq!(refused(&[Step { name: " ".into(), ..done("a") }]).as_deref(), Some("steps[0].name"));
        assert_eq!(refused(&[done("a"), Step { output: wide, ..done("b") }]).as_deref(), Some("steps[1].output"));
        let count = limits::STEPS_BYTES_PER_MESSAGE_MAX / limits::STEP_VALUE_BYTES_MAX;
        let many = |count: usize| -> Vec<Step> {
            (0..count).map(|at| Step { input: nearly.clone(), ..done(&at.to_string()) }).collect()
        };
        assert_eq!(check_steps(&many(count)), Ok(()));
        assert_eq!(refused(&many(count + 1)).as_deref(), Some("steps"));
        let short: Vec<Step> = (0..=limits::STEPS_PER_MESSAGE_MAX).map(|at| done(&at.to_string())).collect();
        assert_eq!(refused(&short).as_deref(), Some("steps"));
    }

    #[test]
    fn values_are_bounded() {
        let wide = Some(Value::String("x".repeat(limits::STEP_VALUE_BYTES_MAX)));
        let begun = StartStep { input: wide.clone(), ..start("s", "n") };
        assert_eq!(begun.check().expect_err("wide").field.as_deref(), Some("input"));
        let ended = FinishStep { output: wide, is_error: true };
        assert_eq!(ended.check().expect_err("wide").field.as_deref(), Some("output"));
    }
}
