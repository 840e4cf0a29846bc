//! Answers that are longer than a message: the whole text is kept as a file, and a notice carries it.

use std::sync::Arc;

use parlour_core::{id::MessageId, limits, post::PostMessage};

use super::{
    Report,
    pen::Opening,
    shared::{Shared, fresh_id},
    whole_text::WholeText,
};
use crate::{
    link::{LinkError, Upload},
    streaming::patiently,
};

/// The name of the file.
pub(super) const FILENAME: &str = "answer.md";

/// Keeps the whole text of an answer and says so right after it. When that fails, whoever watches is told: the message
/// itself has ended and stays.
pub(super) async fn keep(shared: &Arc<Shared>, opening: &Opening, text: WholeText) {
    let is_full = text.is_full();
    let bytes = text.as_str().len();
    if let Err(error) = post_file(shared, opening, text.into_bytes(), notice_text(bytes, is_full)).await {
        shared.tell(Report::Lost(format!("the whole text of {} could not be kept: {error}", opening.id)));
    }
}

async fn post_file(shared: &Shared, opening: &Opening, content: Vec<u8>, body: String) -> Result<(), LinkError> {
    let conversation_id = match opening.request.conversation() {
        Ok(conversation) => conversation,
        Err(refusal) => return Err(LinkError::Away(refusal.detail)),
    };
    let file =
        Upload { conversation_id, filename: FILENAME.to_owned(), media_type: "text/markdown".to_owned(), content };
    let artifact = patiently(|| shared.link.upload(file.clone())).await?;
    let request = PostMessage { body, artifacts: vec![artifact], ..notice_after(&opening.id, &opening.request) };
    let id = fresh_id();
    patiently(|| shared.link.post(&id, &request)).await.map(drop)
}

/// A notice beside an answer: it calls nobody.
fn notice_after(answer: &MessageId, request: &PostMessage) -> PostMessage {
    PostMessage {
        channel_id: request.channel_id.clone(),
        thread_id: request.thread_id.clone(),
        dm_id: request.dm_id.clone(),
        context: request.context.clone(),
        reply_to: Some(answer.clone()),
        is_notice: true,
        ..PostMessage::default()
    }
}

fn notice_text(bytes: usize, is_full: bool) -> String {
    if is_full {
        let most = limits::ANSWER_BYTES_MAX / (1024 * 1024);
        return format!("The answer was stopped because it went on for ever. Its first {most} MiB are in {FILENAME}.");
    }
    format!("The whole answer, {bytes} bytes, is in {FILENAME}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notice_says_how_much_was_kept() {
        assert_eq!(notice_text(70_000, false), "The whole answer, 70000 bytes, is in answer.md.");
        assert!(notice_text(0, true).contains("first 16 MiB"));
    }
}
