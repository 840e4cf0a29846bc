//! The load: members who post, edit, react, remove and read; and one who lets another in and out.

use std::time::Instant;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    api::RetryingApi,
    project_fixture::{FaultProject, PostDestination},
    run_state::FaultRunState,
    seed::SeededRng,
    transcript::text,
};

/// A post that the hub has acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AckedPost {
    pub(crate) id: String,
    pub(crate) position: String,
}

/// Letters of a long text: some frames must be larger than what the proxy and the sockets carry at once.
const LONG_TEXT_LETTERS: u64 = 30_000;

/// A member who posts.
pub(crate) struct Poster {
    pub(crate) number: usize,
    pub(crate) api: RetryingApi,
    pub(crate) rooms: Vec<PostDestination>,
    pub(crate) run_state: FaultRunState,
    pub(crate) numbers: SeededRng,
}

impl Poster {
    /// Posts, and changes what it has posted, until the load ends; answers what was acknowledged.
    pub(crate) async fn run(mut self) -> Vec<AckedPost> {
        let mut acked = Vec::new();
        // What it has posted and not removed.
        let mut own: Vec<String> = Vec::new();
        while self.run_state.goes_on() {
            let change = self.numbers.below(10);
            match own.last().cloned() {
                Some(id) if change < 5 => {
                    self.change(change, &id).await;
                    if change == 4 {
                        own.pop();
                    }
                }
                _ => {
                    let posted = self.post(acked.len()).await;
                    own.push(posted.id.clone());
                    acked.push(posted);
                }
            }
        }
        acked
    }

    async fn post(&mut self, number: usize) -> AckedPost {
        let id = format!("msg_fault-{}-{number}", self.number);
        let room = self.numbers.pick(&self.rooms).clone();
        let letters = if self.numbers.one_in(12) { self.numbers.below(LONG_TEXT_LETTERS) } else { 20 };
        let body =
            format!("message {number} of {} {}", self.number, "ü".repeat(usize::try_from(letters).expect("small")));
        let request = json!({ "id": id, room.field: room.id, "body": body });
        let posted = self.api.do_it(&mut self.run_state, Method::POST, "/messages", &request).await;
        if room.is_open {
            self.run_state.newest.send_replace(Some(id.clone()));
        }
        AckedPost { id, position: text(&posted, "/position").to_owned() }
    }

    /// Repeating any of these changes nothing, so none is done twice.
    async fn change(&mut self, change: u64, id: &str) {
        let (how, path, body) = match change {
            0 => (
                Method::PATCH,
                format!("/messages/{id}"),
                json!({ "body": format!("edited {}", self.numbers.below(1_000)) }),
            ),
            1 => (Method::PUT, format!("/messages/{id}/reactions/%F0%9F%91%8D"), Value::Null),
            2 => (Method::DELETE, format!("/messages/{id}/reactions/%F0%9F%91%8D"), Value::Null),
            3 => {
                // What another member wrote: its own it has read already.
                let newest = self.run_state.newest.borrow().clone().unwrap_or_else(|| id.to_owned());
                (Method::POST, format!("/messages/{newest}/read"), Value::Null)
            }
            _ => (Method::DELETE, format!("/messages/{id}"), Value::Null),
        };
        self.api.do_it(&mut self.run_state, how, &path, &body).await;
    }
}

/// Lets the wanderer in and out until the load ends; answers the moments before each request to let it in.
pub(crate) async fn toggle_membership(
    api: RetryingApi,
    project_fixture: FaultProject,
    mut run_state: FaultRunState,
    mut numbers: SeededRng,
) -> Vec<Instant> {
    let members = format!("/channels/{}/members", project_fixture.private.id);
    let mut asked = Vec::new();
    while run_state.goes_on() {
        let path = format!("{members}/{}", project_fixture.wanderer.id);
        let gone = api.ask(&mut run_state, Method::DELETE, &path, &Value::Null).await;
        // A repeated request finds it gone.
        assert!(gone.as_ref().is_ok_and(Value::is_null) || gone.is_err_and(|refused| refused.code == "PARLOUR-N01"));
        run_state.count();
        run_state.acknowledged(2 + numbers.below(25)).await;
        // The run may end with the wanderer outside.
        if !run_state.goes_on() && numbers.one_in(2) {
            break;
        }
        asked.push(Instant::now());
        api.do_it(&mut run_state, Method::POST, &members, &json!({ "member_id": project_fixture.wanderer.id })).await;
        run_state.acknowledged(2 + numbers.below(25)).await;
    }
    asked
}
