//! One invalid request for every rule of every provider.

use serde_json::{Value, json};

use crate::formats::Format;

/// Checks that the format refuses the request with this field and rule.
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

    fn refused(messages: &[Value], index: usize, rule: &str) {
        check_refused(Format::Chat, &json!({ "messages": messages }), &format!("messages[{index}]"), rule);
    }

    #[test]
    fn a_valid_list_is_accepted() {
        let list = json!({"messages": [user(), called("a", "r", "{}"), result("a"), user()]});
        assert_eq!(Format::Chat.check(&list), Ok(()));
    }

    #[test]
    fn a_call_without_its_result_directly_after_it_is_refused() {
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
    fn malformed_calls_are_refused() {
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
    fn blank_texts_and_invalid_names_are_refused() {
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

    fn refused(input: &[Value], index: usize, rule: &str) {
        check_refused(Format::Responses, &json!({ "input": input }), &format!("input[{index}]"), rule);
    }

    #[test]
    fn a_valid_list_is_accepted() {
        let items = [user(), called("a", "r", "{}"), called("b", "r", "{}"), result("b"), result("a"), user()];
        assert_eq!(Format::Responses.check(&json!({"instructions": "Be brief.", "input": items})), Ok(()));
    }

    #[test]
    fn violations_of_every_rule_are_refused() {
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

    fn of_role(role: &str, blocks: Value) -> Value {
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

    fn refused(messages: &[Value], index: usize, rule: &str) {
        let request = json!({"messages": messages, "tools": [tool("r")]});
        check_refused(Format::Anthropic, &request, &format!("messages[{index}]"), rule);
    }

    fn with_call() -> Vec<Value> {
        vec![
            user(),
            of_role("assistant", json!([text("Wait."), call("a", "r")])),
            of_role("user", json!([result("a"), text("And?")])),
        ]
    }

    #[test]
    fn a_valid_list_is_accepted() {
        let choice = json!({"type": "none"});
        let request =
            json!({"system": "Be brief.", "messages": with_call(), "tools": [tool("r")], "tool_choice": choice});
        assert_eq!(Format::Anthropic.check(&request), Ok(()));
    }

    #[test]
    fn repeated_roles_are_refused() {
        let rule = "roles must alternate and start with the user";
        refused(&[], 0, "there must be a message");
        refused(&[assistant(), user()], 0, rule);
        refused(&[user(), user()], 1, rule);
        refused(&[user(), assistant(), assistant(), user()], 2, rule);
        refused(&[user(), assistant()], 1, "the last message must be the user's");
    }

    #[test]
    fn blank_messages_are_refused() {
        refused(&[of_role("user", json!(" "))], 0, "must not be blank");
        refused(&[of_role("user", json!([text("\u{1e}")]))], 0, "must not be blank");
        refused(&[of_role("user", json!([]))], 0, "a message must have at least one block");
        let request = json!({"system": "", "messages": [user()]});
        check_refused(Format::Anthropic, &request, "system", "must not be blank");
    }

    #[test]
    fn calls_without_results_and_results_without_calls_are_refused() {
        let calls = |blocks: Value| of_role("assistant", blocks);
        let one = || calls(json!([call("a", "r")]));
        refused(&[user(), one(), user()], 2, "every call must have its result in the next message");
        refused(
            &[user(), calls(json!([call("a", "r"), call("b", "r")])), of_role("user", json!([result("a")]))],
            2,
            "every call",
        );
        refused(&[user(), one(), of_role("user", json!([result("a"), result("a")]))], 2, "a result must belong to");
        refused(&[of_role("user", json!([result("a")]))], 0, "a result must belong to");
        refused(&[user(), one(), of_role("user", json!([text("Hm"), result("a")]))], 2, "results must precede texts");
        refused(&[of_role("user", json!([call("a", "r")]))], 0, "only the assistant can call tools");
        refused(&[user(), calls(json!([result("a")]))], 1, "only the user can send results");
        refused(&[user(), calls(json!([call("a.b", "r")]))], 1, "a call id");
        refused(&[user(), calls(json!([call("a", "r"), call("a", "r")]))], 1, "call ids must be unique");
        refused(&[user(), calls(json!([call("a", "r r")]))], 1, "a tool name");
    }

    #[test]
    fn undeclared_and_malformed_tools_are_refused() {
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

    fn of_role(role: &str, parts: Value) -> Value {
        Value::Object([("role".to_owned(), role.into()), ("parts".to_owned(), parts)].into_iter().collect())
    }

    fn user() -> Value {
        of_role("user", json!([{"text": "Hi"}]))
    }

    fn model() -> Value {
        of_role("model", json!([{"text": "Hello."}]))
    }

    fn call(name: &str) -> Value {
        json!({"functionCall": {"name": name, "args": {}}})
    }

    fn result(name: &str) -> Value {
        json!({"functionResponse": {"name": name, "response": {"output": "ok"}}})
    }

    fn refused(contents: &[Value], index: usize, rule: &str) {
        check_refused(Format::Gemini, &json!({ "contents": contents }), &format!("contents[{index}]"), rule);
    }

    #[test]
    fn a_valid_list_is_accepted() {
        let calls = of_role("model", json!([{"text": "Wait."}, call("r"), call("s")]));
        let results = of_role("user", json!([result("r"), result("s")]));
        let request = json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [user(), calls, results, model(), user()],
        });
        assert_eq!(Format::Gemini.check(&request), Ok(()));
    }

    #[test]
    fn repeated_roles_are_refused() {
        let rule = "roles must alternate and start with the user";
        refused(&[], 0, "there must be a content");
        refused(&[model(), user()], 0, rule);
        refused(&[user(), user()], 1, rule);
        refused(&[user(), model(), model(), user()], 2, rule);
        refused(&[user(), model()], 1, "the last content must be the user's");
    }

    #[test]
    fn blank_contents_are_refused() {
        refused(&[of_role("user", json!([]))], 0, "a content must have parts");
        refused(&[of_role("user", json!([{"text": "\t"}]))], 0, "must not be blank");
        let with = |parts: Value| json!({"systemInstruction": {"parts": parts}, "contents": [user()]});
        let system = |parts: Value, rule: &str| {
            check_refused(Format::Gemini, &with(parts), "systemInstruction.parts[0]", rule);
        };
        system(json!([]), "a content must have parts");
        system(json!([{"text": ""}]), "must not be blank");
        system(json!([call("r")]), "instructions must be texts");
    }

    #[test]
    fn calls_without_results_and_results_without_calls_are_refused() {
        let calls = |parts: Value| of_role("model", parts);
        let order = "results must match the preceding calls";
        refused(&[user(), calls(json!([call("r")])), user()], 2, "every call must have its result in the next content");
        refused(
            &[user(), calls(json!([call("r"), call("s")])), of_role("user", json!([result("r")]))],
            2,
            "every call",
        );
        refused(
            &[user(), calls(json!([call("r"), call("s")])), of_role("user", json!([result("s"), result("r")]))],
            2,
            order,
        );
        refused(&[user(), calls(json!([call("r")])), of_role("user", json!([result("r"), result("r")]))], 2, order);
        refused(&[of_role("user", json!([result("r")]))], 0, order);
        let beside = of_role("user", json!([result("r"), {"text": "And?"}]));
        refused(&[user(), calls(json!([call("r")])), beside], 2, "results cannot be mixed with other parts");
        refused(&[of_role("user", json!([call("r")]))], 0, "only the model can call tools");
        refused(&[user(), calls(json!([result("r")]))], 1, "only the user can send results");
        refused(&[user(), calls(json!([call("7zip")]))], 1, "a tool name");
    }

    #[test]
    fn a_part_must_be_exactly_one_text_call_or_result() {
        let both = json!([{"text": "Hi", "functionCall": {"name": "r", "args": {}}}]);
        for parts in [both, json!([{}]), json!([{"inlineData": {}}])] {
            assert!(Format::Gemini.check(&json!({"contents": [of_role("user", parts)]})).is_err());
        }
    }
}
