//! Files and answers that hold many messages.

use parlour_core::Refusal;
use serde_json::{Map, Value};

use crate::fields::wrong;

/// Where the desktop client's file has its messages, by project.
const SAVED: &str = "chat_messages";

/// Takes the messages out of what holds many of them, oldest first: a page of the server (`data`, newest first), the
/// desktop client's file (`chat_messages`), or a list. A value that is one message stays alone.
pub fn unpack_history(value: Value) -> Result<Vec<Value>, Refusal> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Object(mut fields) => match (fields.remove("data"), fields.remove(SAVED)) {
            (Some(Value::Array(items)), None) => Ok(items.into_iter().rev().collect()),
            (Some(other), None) => Err(wrong("data", "a list of messages", &other)),
            (None, Some(Value::Object(projects))) => saved(projects),
            (None, Some(other)) => Err(wrong(SAVED, "an object with a list for each project", &other)),
            (Some(_), Some(_)) => Err(Refusal::invalid("only one of this and data can be there").at(SAVED)),
            (None, None) => Ok(vec![Value::Object(fields)]),
        },
        other => Ok(vec![other]),
    }
}

fn saved(projects: Map<String, Value>) -> Result<Vec<Value>, Refusal> {
    let mut all = Vec::new();
    for (project, messages) in projects {
        match messages {
            Value::Array(items) => all.extend(items),
            other => return Err(wrong(&project, "a list of messages", &other).at(SAVED)),
        }
    }
    Ok(all)
}
