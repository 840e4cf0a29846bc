//! What rows after a message tell of its steps: Caco tells there what a tool gave back.

use parlour_core::{limits, step::Step};
use serde_json::{Map, Value};

/// Bytes of a text in an event that is kept where there is no room for all of it.
const CUT_TEXT_BYTES: usize = 1_024;
/// Events of one message that are kept at all: two for each step.
const EVENTS_MAX: usize = 2 * limits::STEPS_PER_MESSAGE_MAX;

/// The steps of a message as they are known in the end, and the events that told of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Told {
    pub(super) steps: Vec<Step>,
    /// As the system writes them, in order; cut when all together would have room nowhere.
    events: Vec<Value>,
    /// How many there were.
    count: usize,
    /// Bytes of all of them.
    bytes: usize,
}

impl Told {
    /// What is known when nothing was told yet.
    pub(super) fn begun(steps: Vec<Step>) -> Self {
        Self { steps, ..Self::default() }
    }

    /// Adds what became of one of these steps.
    pub(super) fn add(&mut self, step: &Step, event: Value) {
        if let Some(begun) = self.steps.iter_mut().find(|begun| begun.id == step.id)
            && step.finished_at.is_some()
        {
            begun.output = step.output.as_ref().map(shortened);
            (begun.is_error, begun.finished_at) = (step.is_error, step.finished_at);
        }
        self.count += 1;
        let fitted = self.has_room();
        self.bytes += event.to_string().len();
        if self.has_room() {
            self.events.push(event);
            return;
        }
        if fitted {
            self.events = self.cut_events();
        }
        if self.events.len() < EVENTS_MAX {
            self.events.push(cut(&event));
        }
    }

    /// What may be kept of the events: the best first.
    pub(super) fn choices(&self) -> [Vec<Value>; 3] {
        [self.events.clone(), self.cut_events(), Vec::new()]
    }

    /// How many events are not kept as they were, when these are.
    pub(super) fn unkept(&self, kept: &[Value]) -> usize {
        if self.has_room() && self.events == kept { 0 } else { self.count }
    }

    fn has_room(&self) -> bool {
        self.bytes <= limits::MESSAGE_CONTENT_BYTES_MAX
    }

    /// The events without most of their long texts.
    fn cut_events(&self) -> Vec<Value> {
        self.events.iter().map(cut).collect()
    }
}

/// What a tool gave back, or its beginning: a step has room for so much and no more.
fn shortened(output: &Value) -> Value {
    let text = output.as_str().map_or_else(|| output.to_string(), str::to_owned);
    if output.to_string().len() <= limits::STEP_VALUE_BYTES_MAX {
        return output.clone();
    }
    // Half of it, because some signs take more bytes when they are written as JSON.
    Value::String(beginning(&text, limits::STEP_VALUE_BYTES_MAX / 2))
}

fn cut(value: &Value) -> Value {
    match value {
        Value::String(text) if text.len() > CUT_TEXT_BYTES => Value::String(beginning(text, CUT_TEXT_BYTES)),
        Value::Array(items) => items.iter().map(cut).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), cut(value))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

fn beginning(text: &str, bytes: usize) -> String {
    format!("{}\n… (cut, {} bytes in all)", &text[..text.floor_char_boundary(bytes)], text.len())
}

#[cfg(test)]
mod tests {
    use parlour_core::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_tool_gave_back_is_cut_where_a_step_has_no_more_room() {
        assert_eq!(shortened(&Value::from("README")), "README");
        let long = shortened(&Value::from("ä\n".repeat(20_000)));
        let text = long.as_str().expect("a text");
        assert!(text.starts_with("ä\nä\n") && text.ends_with("… (cut, 60000 bytes in all)"), "{}", text.len());
        assert!(long.to_string().len() <= limits::STEP_VALUE_BYTES_MAX);
        let wide = shortened(&Value::from(vec!["x"; 10_000]));
        assert!(wide.is_string() && wide.to_string().len() <= limits::STEP_VALUE_BYTES_MAX);
    }

    #[test]
    fn events_are_cut_in_their_long_texts_alone() {
        let event = json!({"data": {"result": ["ä".repeat(1_000), 7]}, "type": "tool.execution_complete"});
        let cut = cut(&event);
        assert_eq!((&cut["type"], &cut["data"]["result"][1]), (&"tool.execution_complete".into(), &7.into()));
        let text = cut["data"]["result"][0].as_str().expect("a text");
        assert!(text.starts_with("ää") && text.ends_with("… (cut, 2000 bytes in all)"), "{text}");
    }

    #[test]
    fn events_that_have_room_nowhere_are_cut_and_bounded() {
        let step = |at| Step {
            id: "a".into(),
            name: "bash".into(),
            input: None,
            output: None,
            is_error: false,
            started_at: at,
            finished_at: None,
        };
        let step = step(Timestamp::from_millis(0));
        let mut told = Told::begun(vec![step.clone()]);
        told.add(&step, json!({"text": "x".repeat(2_000)}));
        assert_eq!((told.unkept(&told.choices()[0]), told.unkept(&[])), (0, 1));
        for _ in 0..1_000 {
            told.add(&step, json!({"text": "y".repeat(limits::MESSAGE_CONTENT_BYTES_MAX)}));
        }
        assert_eq!((told.events.len(), told.unkept(&told.choices()[0])), (EVENTS_MAX, 1_001));
        assert!(told.events.iter().all(|event| event.to_string().len() < 2 * CUT_TEXT_BYTES));
    }
}
