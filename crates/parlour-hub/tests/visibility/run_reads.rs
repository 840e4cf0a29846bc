//! Reads of deliveries, questions and runs.

use parlour_core::{delivery::DeliveryState, run::RunFilter};
use parlour_hub::use_cases::{DeliveryWait, QuestionQuery};

use crate::reads::ReadRecorder;

impl ReadRecorder<'_> {
    /// Reads the deliveries and the question of every message.
    pub(crate) async fn ask_about_messages(&mut self, read: &str) {
        let (hub, who) = (&self.story_hub.hub, self.who);
        let said = self.targets.all(|objects| {
            objects.said.iter().map(|said| said.id.clone()).chain(objects.questions.iter().cloned()).collect()
        });
        for id in said {
            let question = format!("{read} {id}");
            match read {
                "deliveries" => self.note(question, hub.deliveries(who, &id).await),
                "wait_question" => self.note(question, hub.wait_question(who, &id, 0).await),
                _ => {
                    let wait = DeliveryWait { state: DeliveryState::Seen, recipient: None, seconds: 0 };
                    self.note(question, hub.wait_deliveries(who, &id, wait).await);
                }
            }
        }
    }

    pub(crate) async fn ask_boards(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "my_inbox" => self.note_list("my_inbox".into(), async |page| hub.my_inbox(who, project, &page).await).await,
            "pending_blocks" => self.note("pending_blocks".into(), hub.pending_blocks(who, None, &[]).await),
            _ => {
                for (project_id, whole_project) in [(None, false), (Some(project), false), (Some(project), true)] {
                    let query = QuestionQuery { project_id: project_id.cloned(), whole_project };
                    let list = async |page| hub.questions(who, &query, &page).await;
                    self.note_list(format!("questions {query:?}"), list).await;
                }
            }
        }
    }

    pub(crate) async fn ask_runs(&mut self, read: &str) {
        let (hub, who, project) = (&self.story_hub.hub, self.who, &self.story_hub.project);
        match read {
            "runs" => {
                let filter = RunFilter::default();
                self.note_list("runs".into(), async |page| hub.runs(who, project, &filter, &page).await).await;
            }
            "task_timeline" => {
                for id in self.targets.tasks.clone() {
                    let list = async |page| hub.task_timeline(who, &id, &page).await;
                    self.note_list(format!("task_timeline {id}"), list).await;
                }
            }
            _ => {
                for id in self.targets.all(|objects| objects.runs.clone()) {
                    let question = format!("{read} {id}");
                    match read {
                        "run" => self.note(question, hub.run(who, &id).await),
                        "wait_run" => self.note(question, hub.wait_run(who, &id, 0).await),
                        _ => {
                            self.note_list(question, async |page| hub.run_timeline(who, &id, &page).await).await;
                        }
                    }
                }
            }
        }
    }
}
