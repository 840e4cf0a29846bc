//! One wrong request for every rule of every provider.

use serde_json::{Value, json};

use crate::formats::Format;

/// Checks that the format refuses the request at this place, in these words.
fn check_refused(format: Format, request: &Value, field: &str, rule: &str) {
    let refusal = format.check(request).expect_err(rule);
    assert_eq!(refusal.field.as_deref(), Some(field), "{format:?}: {refusal:?}\n{request:#}");
    assert!(refusal.detail.contains(rule), "{format:?}: {refusal:?}, not {rule:?}\n{request:#}");
}

mod chat {
    use super::*;

    fn user() -> Value {
        json!({"role": "user", "content": "Hi"})
    }

    fn called(id: &str, name: &str, arguments: &str) -> Value {
        let call = json!({"type": "function", "id": id, "function": {"name": name, "arguments": arguments}});
        json!({"role": "assistant", "tool_calls": [call]})
    }

    fn result(id: &str) -> Value {
        json!({"role": "tool", "tool_call_id": id, "content": "ok"})
    }

    fn refused(messages: &[Value], place: usize, rule: &str) {
        check_refused(Format::Chat, &json!({ "messages": messages }), &format!("messages[{place}]"), rule);
    }

    #[test]
    fn a_good_list_is_taken() {
        let list = json!({"messages": [user(), called("a", "r", "{}"), result("a"), user()]});
        assert_eq!(Format::Chat.check(&list), Ok(()));
    }

    #[test]
    fn every_call_needs_its_result_right_after_it() {
        refused(&[called("a", "r", "{}")], 1, "every call must be directly followed by its result");
        refused(
            &[called("a", "r", "{}"), user(), result("a")],
            1,
            "every call must be directly followed by its result",
        );
        refused(&[called("a", "r", "{}"), result("b")], 1, "must directly follow an open call");
        refused(&[called("a", "r", "{}"), result("a"), result("a")], 2, "must directly follow an open call");
        refused(&[result("a")], 0, "must directly follow an open call");
        refused(&[called("a", "r", "{}"), result("a"), user(), result("a")], 3, "must directly follow an open call");
    }

    #[test]
    fn calls_are_well_made() {
        let long = "i".repeat(41);
        refused(&[called("", "r", "{}")], 0, "a call id");
        refused(&[called(&long, "r", "{}")], 0, "a call id");
        refused(&[called("a.b", "r", "{}")], 0, "a call id");
        refused(&[called("a", "r", "{}"), result("a"), called("a", "r", "{}")], 2, "call ids must be unique");
        for name in ["", "a b", "a.b", "7zip", &"n".repeat(65)] {
            refused(&[called("a", name, "{}")], 0, "a tool name");
        }
        for arguments in ["", "[]", "{", "\"x\""] {
            refused(&[called("a", "r", arguments)], 0, "the arguments of a call");
        }
        let calls: Vec<_> = (0..129).map(|n| called(&format!("c{n}"), "r", "{}")["tool_calls"][0].clone()).collect();
        refused(&[json!({"role": "assistant", "tool_calls": calls})], 0, "at most 128 calls");
    }

    #[test]
    fn texts_and_names_are_well_made() {
        refused(&[], 0, "there must be a message");
        refused(&[json!({"role": "assistant"})], 0, "must have a text or a call");
        for role in ["system", "user", "assistant"] {
            refused(&[json!({"role": role, "content": " \n\u{1c}"})], 0, "must not be blank");
        }
        for name in ["", "Mara Lind", "a<b", "a|b", "a\\b", "a/b", "a>b", &"n".repeat(65)] {
            refused(
                &[user(), json!({"role": "user", "content": "Hi", "name": name})],
                1,
                "a name must have 1 to 64 characters",
            );
        }
        refused(&vec![user(); 2_049], 2_048, "at most 2048 messages");
    }
}

mod responses {
    use super::*;

    fn user() -> Value {
        json!({"type": "message", "role": "user", "content": "Hi"})
    }

    fn called(id: &str, name: &str, arguments: &str) -> Value {
        json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments})
    }

    fn result(id: &str) -> Value {
        json!({"type": "function_call_output", "call_id": id, "output": "ok"})
    }

    fn refused(input: &[Value], place: usize, rule: &str) {
        check_refused(Format::Responses, &json!({ "input": input }), &format!("input[{place}]"), rule);
    }

    #[test]
    fn a_good_list_is_taken() {
        let items = [user(), called("a", "r", "{}"), called("b", "r", "{}"), result("b"), result("a"), user()];
        assert_eq!(Format::Responses.check(&json!({"instructions": "Be brief.", "input": items})), Ok(()));
    }

    #[test]
    fn every_rule_is_kept() {
        let no_result = "every call must have its result before the next message";
        refused(&[], 0, "there must be an item");
        refused(&[json!({"type": "message", "role": "user", "content": ""})], 0, "must not be blank");
        refused(&[called("a", "r", "{}")], 1, no_result);
        refused(&[called("a", "r", "{}"), user(), result("a")], 1, no_result);
        refused(&[result("a")], 0, "a result must belong to");
        refused(&[called("a", "r", "{}"), result("a"), result("a")], 2, "a result must belong to");
        refused(&[result("a"), called("a", "r", "{}")], 0, "a result must belong to");
        refused(&[called("a b", "r", "{}")], 0, "a call id");
        refused(&[called("a", "r", "{}"), called("a", "r", "{}")], 1, "call ids must be unique");
        refused(&[called("a", "r r", "{}")], 0, "a tool name");
        refused(&[called("a", "r", "null")], 0, "the arguments of a call");
        let request = json!({"instructions": " ", "input": [user()]});
        check_refused(Format::Responses, &request, "instructions", "must not be blank");
    }
}

mod anthropic {
    use super::*;

    fn user() -> Value {
        json!({"role": "user", "content": "Hi"})
    }

    fn assistant() -> Value {
        json!({"role": "assistant", "content": "Hello."})
    }

    fn says(role: &str, blocks: Value) -> Value {
        Value::Object([("role".to_owned(), role.into()), ("content".to_owned(), blocks)].into_iter().collect())
    }

    fn call(id: &str, name: &str) -> Value {
        json!({"type": "tool_use", "id": id, "name": name, "input": {}})
    }

    fn result(id: &str) -> Value {
        json!({"type": "tool_result", "tool_use_id": id, "content": "ok"})
    }

    fn text(text: &str) -> Value {
        json!({"type": "text", "text": text})
    }

    fn tool(name: &str) -> Value {
        json!({"name": name, "description": "", "input_schema": {"type": "object"}})
    }

    fn refused(messages: &[Value], place: usize, rule: &str) {
        let request = json!({"messages": messages, "tools": [tool("r")]});
        check_refused(Format::Anthropic, &request, &format!("messages[{place}]"), rule);
    }

    fn with_call() -> Vec<Value> {
        vec![
            user(),
            says("assistant", json!([text("Wait."), call("a", "r")])),
            says("user", json!([result("a"), text("And?")])),
        ]
    }

    #[test]
    fn a_good_list_is_taken() {
        let choice = json!({"type": "none"});
        let request =
            json!({"system": "Be brief.", "messages": with_call(), "tools": [tool("r")], "tool_choice": choice});
        assert_eq!(Format::Anthropic.check(&request), Ok(()));
    }

    #[test]
    fn the_sides_take_turns() {
        let rule = "roles must alternate and start with the user";
        refused(&[], 0, "there must be a message");
        refused(&[assistant(), user()], 0, rule);
        refused(&[user(), user()], 1, rule);
        refused(&[user(), assistant(), assistant(), user()], 2, rule);
        refused(&[user(), assistant()], 1, "the last message must be the user's");
    }

    #[test]
    fn messages_say_something() {
        refused(&[says("user", json!(" "))], 0, "must not be blank");
        refused(&[says("user", json!([text("\u{1e}")]))], 0, "must not be blank");
        refused(&[says("user", json!([]))], 0, "a message must have at least one block");
        let request = json!({"system": "", "messages": [user()]});
        check_refused(Format::Anthropic, &request, "system", "must not be blank");
    }

    #[test]
    fn calls_and_results_belong_together() {
        let calls = |blocks: Value| says("assistant", blocks);
        let one = || calls(json!([call("a", "r")]));
        refused(&[user(), one(), user()], 2, "every call must have its result in the next message");
        refused(
            &[user(), calls(json!([call("a", "r"), call("b", "r")])), says("user", json!([result("a")]))],
            2,
            "every call",
        );
        refused(&[user(), one(), says("user", json!([result("a"), result("a")]))], 2, "a result must belong to");
        refused(&[says("user", json!([result("a")]))], 0, "a result must belong to");
        refused(&[user(), one(), says("user", json!([text("Hm"), result("a")]))], 2, "results must precede texts");
        refused(&[says("user", json!([call("a", "r")]))], 0, "only the assistant can call tools");
        refused(&[user(), calls(json!([result("a")]))], 1, "only the user can send results");
        refused(&[user(), calls(json!([call("a.b", "r")]))], 1, "a call id");
        refused(&[user(), calls(json!([call("a", "r"), call("a", "r")]))], 1, "call ids must be unique");
        refused(&[user(), calls(json!([call("a", "r r")]))], 1, "a tool name");
    }

    #[test]
    fn tools_are_declared() {
        let with = |tools: Value| json!({"messages": with_call(), "tools": tools});
        check_refused(Format::Anthropic, &with(json!([])), "tools", "must be declared");
        check_refused(Format::Anthropic, &with(json!([tool("other")])), "tools", "must be declared");
        check_refused(Format::Anthropic, &with(json!([tool("r"), tool("r")])), "tools[1]", "tool names must be unique");
        check_refused(Format::Anthropic, &with(json!([tool("r r")])), "tools[0]", "a tool name");
        let listed = json!({"name": "r", "description": "", "input_schema": {"type": "array"}});
        check_refused(
            Format::Anthropic,
            &with(json!([listed])),
            "tools[0]",
            "the input schema of a tool must be of type object",
        );
        let choice = json!({"messages": [user()], "tool_choice": {"type": "none"}});
        check_refused(Format::Anthropic, &choice, "tool_choice", "tool_choice requires tools");
    }
}

mod gemini {
    use super::*;

    fn says(role: &str, parts: Value) -> Value {
        Value::Object([("role".to_owned(), role.into()), ("parts".to_owned(), parts)].into_iter().collect())
    }

    fn user() -> Value {
        says("user", json!([{"text": "Hi"}]))
    }

    fn model() -> Value {
        says("model", json!([{"text": "Hello."}]))
    }

    fn call(name: &str) -> Value {
        json!({"functionCall": {"name": name, "args": {}}})
    }

    fn result(name: &str) -> Value {
        json!({"functionResponse": {"name": name, "response": {"output": "ok"}}})
    }

    fn refused(contents: &[Value], place: usize, rule: &str) {
        check_refused(Format::Gemini, &json!({ "contents": contents }), &format!("contents[{place}]"), rule);
    }

    #[test]
    fn a_good_list_is_taken() {
        let calls = says("model", json!([{"text": "Wait."}, call("r"), call("s")]));
        let results = says("user", json!([result("r"), result("s")]));
        let request = json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [user(), calls, results, model(), user()],
        });
        assert_eq!(Format::Gemini.check(&request), Ok(()));
    }

    #[test]
    fn the_sides_take_turns() {
        let rule = "roles must alternate and start with the user";
        refused(&[], 0, "there must be a content");
        refused(&[model(), user()], 0, rule);
        refused(&[user(), user()], 1, rule);
        refused(&[user(), model(), model(), user()], 2, rule);
        refused(&[user(), model()], 1, "the last content must be the user's");
    }

    #[test]
    fn contents_say_something() {
        refused(&[says("user", json!([]))], 0, "a content must have parts");
        refused(&[says("user", json!([{"text": "\t"}]))], 0, "must not be blank");
        let with = |parts: Value| json!({"systemInstruction": {"parts": parts}, "contents": [user()]});
        let system = |parts: Value, rule: &str| {
            check_refused(Format::Gemini, &with(parts), "systemInstruction.parts[0]", rule);
        };
        system(json!([]), "a content must have parts");
        system(json!([{"text": ""}]), "must not be blank");
        system(json!([call("r")]), "instructions must be texts");
    }

    #[test]
    fn calls_and_results_belong_together() {
        let calls = |parts: Value| says("model", parts);
        let order = "results must match the preceding calls";
        refused(&[user(), calls(json!([call("r")])), user()], 2, "every call must have its result in the next content");
        refused(&[user(), calls(json!([call("r"), call("s")])), says("user", json!([result("r")]))], 2, "every call");
        refused(
            &[user(), calls(json!([call("r"), call("s")])), says("user", json!([result("s"), result("r")]))],
            2,
            order,
        );
        refused(&[user(), calls(json!([call("r")])), says("user", json!([result("r"), result("r")]))], 2, order);
        refused(&[says("user", json!([result("r")]))], 0, order);
        let beside = says("user", json!([result("r"), {"text": "And?"}]));
        refused(&[user(), calls(json!([call("r")])), beside], 2, "results cannot be mixed with other parts");
        refused(&[says("user", json!([call("r")]))], 0, "only the model can call tools");
        refused(&[user(), calls(json!([result("r")]))], 1, "only the user can send results");
        refused(&[user(), calls(json!([call("7zip")]))], 1, "a tool name");
    }

    #[test]
    fn a_part_is_of_one_sort() {
        let both = json!([{"text": "Hi", "functionCall": {"name": "r", "args": {}}}]);
        for parts in [both, json!([{}]), json!([{"inlineData": {}}])] {
            assert!(Format::Gemini.check(&json!({"contents": [says("user", parts)]})).is_err());
        }
    }
}
