//! Reports the tool calls of a program as steps, within the limits of a message.

use std::collections::HashMap;

use parlour_core::{
    limits,
    step::{FinishStep, StartStep},
};
use serde_json::{Map, Value};

use super::output_text::clean;
use crate::engine::{AnswerSink, AnswerStopped};

/// The most characters of a tool's result. Everybody in the conversation reads it.
const OUTPUT_CHARS_MAX: usize = 500;
/// The most characters of one text in a tool's input.
const INPUT_TEXT_CHARS_MAX: usize = 200;
/// The most fields of a tool's input.
const INPUT_FIELDS_MAX: usize = 12;
/// The most bytes of a tool's input, serialised as JSON.
const INPUT_BYTES_MAX: usize = 2_048;

/// The steps of one answer.
#[derive(Debug)]
pub(super) struct StepReport {
    /// The ids of the reported steps, by the program's own ids; none if the step has ended.
    open: HashMap<String, Option<String>>,
    value_bytes_left: usize,
}

impl Default for StepReport {
    fn default() -> Self {
        Self { open: HashMap::new(), value_bytes_left: limits::STEPS_BYTES_PER_MESSAGE_MAX }
    }
}

impl StepReport {
    /// Reports the start of a tool call, once. Steps beyond the limit of a message are left out.
    pub(super) async fn start(
        &mut self,
        out: &mut dyn AnswerSink,
        id: String,
        tool: &str,
        input: &Value,
    ) -> Result<(), AnswerStopped> {
        if self.open.contains_key(&id) || self.open.len() >= limits::STEPS_PER_MESSAGE_MAX {
            return Ok(());
        }
        // The ids of programs may contain any characters.
        let own_id = format!("step-{}", self.open.len() + 1);
        self.open.insert(id, Some(own_id.clone()));
        let input = short_input(input);
        let name = step_name(tool, input.as_ref());
        out.start_step(StartStep { id: own_id, name, input: self.affordable(input) }).await
    }

    /// Reports the end of a tool call that was reported.
    pub(super) async fn end(
        &mut self,
        out: &mut dyn AnswerSink,
        id: &str,
        output: &Value,
        is_error: bool,
    ) -> Result<(), AnswerStopped> {
        let Some(own_id) = self.open.get_mut(id).and_then(Option::take) else { return Ok(()) };
        let text = shortened(&plain_text(output), OUTPUT_CHARS_MAX);
        let output = self.affordable(Some(text).filter(|text| !text.is_empty()).map(Value::String));
        out.finish_step(&own_id, FinishStep { output, is_error }).await
    }

    /// Ends every open step, because its own end cannot be read.
    pub(super) async fn end_all(&mut self, out: &mut dyn AnswerSink, why: &str) -> Result<(), AnswerStopped> {
        let open: Vec<_> = self.open.iter().filter(|(_, own)| own.is_some()).map(|(id, _)| id.clone()).collect();
        for id in open {
            self.end(out, &id, &Value::String(why.to_owned()), false).await?;
        }
        Ok(())
    }

    /// The value, if it fits into the message.
    fn affordable(&mut self, value: Option<Value>) -> Option<Value> {
        let value = value?;
        self.value_bytes_left = self.value_bytes_left.checked_sub(value.to_string().len())?;
        Some(value)
    }
}

/// The fields that describe a tool call best, in order.
const TELLING_FIELDS: [&str; 12] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
    "name",
];

/// The name of the tool and its most telling argument, on one line.
fn step_name(tool: &str, input: Option<&Value>) -> String {
    let tool = one_line(tool);
    let tool = if tool.is_empty() { "tool" } else { tool.as_str() };
    let argument = input.and_then(telling_argument).map(one_line).filter(|text| !text.is_empty());
    let name = argument.map_or_else(|| tool.to_owned(), |argument| format!("{tool}: {argument}"));
    shortened(&name, limits::STEP_NAME_CHARS_MAX)
}

fn telling_argument(input: &Value) -> Option<&str> {
    let known = TELLING_FIELDS.iter().find_map(|field| input[field].as_str());
    known.or_else(|| input.as_object()?.values().find_map(Value::as_str)).or_else(|| input.as_str())
}

/// The input with short texts; none if it is empty or too large.
fn short_input(input: &Value) -> Option<Value> {
    let short = match input {
        Value::Object(fields) => {
            let fields = fields.iter().take(INPUT_FIELDS_MAX).map(|(name, value)| (name.clone(), short_value(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        other => short_value(other),
    };
    let is_empty = short.is_null() || short.as_object().is_some_and(Map::is_empty);
    let fits = short.to_string().len() <= INPUT_BYTES_MAX;
    (!is_empty && fits).then_some(short)
}

/// A text is shortened; a nested value is written as a short text.
fn short_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(shortened(&clean(text.as_bytes()), INPUT_TEXT_CHARS_MAX)),
        Value::Array(_) | Value::Object(_) => Value::String(shortened(&value.to_string(), INPUT_TEXT_CHARS_MAX)),
        other => other.clone(),
    }
}

/// The texts of a tool's result, without control characters; other values as JSON.
fn plain_text(output: &Value) -> String {
    match output {
        Value::Null => String::new(),
        Value::String(text) => clean(text.as_bytes()),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str());
            clean(texts.collect::<Vec<_>>().join("\n").as_bytes())
        }
        other => other.to_string(),
    }
}

fn one_line(text: &str) -> String {
    clean(text.as_bytes()).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first characters, with an ellipsis if some are left out.
fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use serde_json::json;

    /// Records steps, and checks that the hub accepts them.
    #[derive(Default)]
    struct RecordedSteps {
        starts: Vec<StartStep>,
        ends: Vec<(String, FinishStep)>,
    }

    #[async_trait]
    impl AnswerSink for RecordedSteps {
        async fn write(&mut self, _: &str) -> Result<(), AnswerStopped> {
            Ok(())
        }

        async fn start_step(&mut self, step: StartStep) -> Result<(), AnswerStopped> {
            assert_eq!(step.check(), Ok(()));
            self.starts.push(step);
            Ok(())
        }

        async fn finish_step(&mut self, id: &str, end: FinishStep) -> Result<(), AnswerStopped> {
            assert_eq!(end.check(), Ok(()));
            self.ends.push((id.to_owned(), end));
            Ok(())
        }
    }

    async fn recorded(calls: &[(&str, &str, Value, Value)]) -> RecordedSteps {
        let (mut sink, mut report) = (RecordedSteps::default(), StepReport::default());
        for (id, tool, input, output) in calls {
            report.start(&mut sink, (*id).to_owned(), tool, input).await.expect("wanted");
            report.end(&mut sink, id, output, false).await.expect("wanted");
        }
        sink
    }

    #[tokio::test]
    async fn a_step_has_a_name_with_its_argument_and_a_short_result() {
        let input = json!({"description": "List", "command": "ls\n  -l", "timeout": 5});
        let sink = recorded(&[("toolu/1", "Bash", input, json!("\u{1b}[31ma.rs\u{1b}[0m\n"))]).await;
        assert_eq!((sink.starts[0].id.as_str(), sink.starts[0].name.as_str()), ("step-1", "Bash: ls -l"));
        let end = FinishStep { output: Some(json!("a.rs")), is_error: false };
        assert_eq!(sink.ends, [("step-1".to_owned(), end)]);
    }

    #[tokio::test]
    async fn long_and_odd_values_are_shortened() {
        let long = "x".repeat(10_000);
        let wide: Map<_, _> = (0..50).map(|at| (format!("f{at}"), json!(long))).collect();
        let parts = json!([{"type": "text", "text": "one"}, {"type": "image"}, {"type": "text", "text": "two"}]);
        let sink = recorded(&[
            ("1", "Write", json!({"file_path": "a.rs", "content": long}), json!(long)),
            ("2", "  ", json!({}), parts),
            ("3", "odd", Value::Object(wide), json!({"ok": true})),
            ("4", &long, json!([1, 2]), json!(null)),
        ])
        .await;
        let names: Vec<_> = sink.starts.iter().map(|step| step.name.as_str()).collect();
        assert_eq!(names[..2], ["Write: a.rs", "tool"]);
        assert_eq!(names[3].chars().count(), limits::STEP_NAME_CHARS_MAX);
        let outputs: Vec<_> = sink.ends.iter().map(|(_, end)| end.output.clone()).collect();
        assert_eq!(outputs[1..], [Some(json!("one\ntwo")), Some(json!("{\"ok\":true}")), None]);
        let first = outputs[0].as_ref().and_then(Value::as_str).expect("a text");
        assert_eq!(first.chars().count(), OUTPUT_CHARS_MAX);
    }

    #[tokio::test]
    async fn a_step_starts_and_ends_once() {
        let call = ("1", "Bash", json!({"command": "ls"}), json!("a"));
        let sink = recorded(&[call.clone(), call]).await;
        assert_eq!((sink.starts.len(), sink.ends.len()), (1, 1));
    }

    #[tokio::test]
    async fn an_unknown_end_is_ignored_and_open_steps_can_be_ended_together() {
        let (mut sink, mut report) = (RecordedSteps::default(), StepReport::default());
        report.end(&mut sink, "none", &json!("x"), true).await.expect("ignored");
        report.start(&mut sink, "1".into(), "Read", &json!({"path": "a"})).await.expect("wanted");
        report.end_all(&mut sink, "too long").await.expect("wanted");
        report.end_all(&mut sink, "too long").await.expect("wanted");
        let output = Some(json!("too long"));
        assert_eq!(sink.ends, [("step-1".to_owned(), FinishStep { output, is_error: false })]);
    }

    #[tokio::test]
    async fn all_steps_together_fit_into_a_message() {
        let text = "é".repeat(1_000);
        let many: Vec<_> = (0..limits::STEPS_PER_MESSAGE_MAX + 9).map(|at| at.to_string()).collect();
        let input = json!({"command": text, "a": text, "b": text, "c": text});
        let calls: Vec<_> = many.iter().map(|id| (id.as_str(), "Bash", input.clone(), json!(text))).collect();
        let sink = recorded(&calls).await;
        assert_eq!(
            (sink.starts.len(), sink.ends.len()),
            (limits::STEPS_PER_MESSAGE_MAX, limits::STEPS_PER_MESSAGE_MAX)
        );
        let inputs = sink.starts.iter().map(|step| step.input.as_ref());
        let values = inputs.chain(sink.ends.iter().map(|(_, end)| end.output.as_ref())).flatten();
        assert!(values.map(|value| value.to_string().len()).sum::<usize>() <= limits::STEPS_BYTES_PER_MESSAGE_MAX);
    }
}
