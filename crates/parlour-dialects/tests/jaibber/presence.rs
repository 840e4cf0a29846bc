//! Presence data of connections.

use parlour_dialects::jaibber::PresenceData;
use serde_json::{Value, json};

fn read(value: Value) -> PresenceData {
    PresenceData::from_value(value).expect("presence")
}

/// The agents of a connection as name, instructions and machine.
fn agents(presence: &PresenceData) -> Vec<(String, Option<&str>, Option<&str>)> {
    presence
        .present_agents()
        .into_iter()
        .map(|agent| (agent.author.name, agent.instructions, agent.machine_name))
        .collect()
}

#[test]
fn a_person_without_agents_has_none() {
    let presence = read(json!({"userId": "u1", "username": "Mara", "projectIds": ["p1"]}));
    assert_eq!((agents(&presence), presence.project_ids.as_deref()), (vec![], Some(&["p1".to_owned()][..])));
    assert_eq!(presence.person().expect("Mara").id.as_deref(), Some("jaibber:u1"));
}

#[test]
fn a_single_agent_is_present_without_a_person() {
    let presence = read(json!({
        "userId": "u2", "username": "Coder", "isAgent": true, "agentName": "coder", "agentInstructions": "Be brief.",
        "machineName": "dev-server",
    }));
    assert_eq!(agents(&presence), [("coder".into(), Some("Be brief."), Some("dev-server"))]);
    assert_eq!(presence.present_agents()[0].author.id.as_deref(), Some("jaibber:u2/coder"));
    assert_eq!(presence.person(), None);
}

#[test]
fn several_agents_are_present_once_each_with_their_person() {
    let presence = read(json!({
        "userId": "u1", "username": "Mara", "isAgent": true, "agentName": "Coder", "agentInstructions": "old",
        "machineName": "laptop",
        "agents": [{"agentName": "CODER", "agentInstructions": "new"}, {"agentName": "Testing Agent", "machineName": "rack"}],
    }));
    let expected =
        [("CODER".to_owned(), Some("new"), Some("laptop")), ("Testing Agent".to_owned(), None, Some("rack"))];
    assert_eq!(agents(&presence), expected);
    assert_eq!(presence.person().map(|person| person.name), Some("Mara".into()));
}

#[test]
fn an_agent_outside_of_the_list_is_included() {
    let presence =
        read(json!({"userId": "u1", "username": "Mara", "agentName": "Coder", "agents": [{"agentName": "Tester"}]}));
    let names: Vec<_> = agents(&presence).into_iter().map(|agent| agent.0).collect();
    assert_eq!(names, ["Tester", "Coder"]);
    assert_eq!(agents(&read(json!({"userId": "u1", "username": "Mara", "agentName": ""}))), []);
}
