//! Messages for a model that reads them whole: nothing is shortened, and nothing is in them that the rules take out.

use parlour_core::{id::ProjectId, message::Message, model_visibility, question::Question};

use crate::{Failure, Fault, Hub};

/// How far the sender wants an agent to go. All else in metadata belongs to other programs and is shown to no model.
const MODE: &str = "execution_mode";

impl Hub {
    /// Those of the messages that a model may see, in their order, without what the rules of their projects take out. Who
    /// may read them was decided by whoever read them.
    pub async fn views(&self, messages: impl IntoIterator<Item = Message>) -> Result<Vec<Message>, Failure> {
        let mut views: Vec<Message> = messages.into_iter().filter(model_visibility::may_reach_model).collect();
        let mut projects: Vec<ProjectId> = views.iter().map(|message| message.project_id.clone()).collect();
        projects.sort();
        projects.dedup();
        for project in projects {
            let policy = self.projects.policy(&project).await?;
            views = self
                .at_bench(move |workshop| {
                    let redactor = workshop.redactor(&policy.context.redaction);
                    let redactor = redactor.map_err(|bad| Fault::new("use the rules of redaction", bad))?;
                    for message in views.iter_mut().filter(|message| message.project_id == project) {
                        message.body = redactor.redact(&message.body);
                        strip(message, |text| redactor.redact(text));
                    }
                    Ok::<_, Fault>(views)
                })
                .await??;
        }
        Ok(views)
    }
}

/// Leaves of what a message has beside its text only what a model may see: what it asks, and the names of its files.
/// Nothing else could be looked through, and an address could lead a model to a place that nobody has checked.
pub(super) fn strip(message: &mut Message, view: impl Fn(&str) -> String) {
    message.content = None;
    message.steps.clear();
    message.metadata.retain(|name, _| name == MODE);
    message.reason = None;
    for file in &mut message.attachments {
        file.filename = view(&file.filename);
        file.url = None;
    }
    if let Some(question) = &mut message.question {
        redact_question(question, view);
    }
}

/// Shows of a question only what may be shown. What an answer is matched by stays: ids of options, and the schema.
pub(super) fn redact_question(question: &mut Question, view: impl Fn(&str) -> String) {
    for option in &mut question.options {
        option.label = view(&option.label);
        option.description = option.description.take().map(|text| view(&text));
    }
    if let Some(answer) = &mut question.answer {
        answer.text = answer.text.take().map(|text| view(&text));
    }
}
