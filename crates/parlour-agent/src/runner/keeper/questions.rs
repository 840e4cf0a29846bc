//! Questions that block the agent: which wait, which are being answered, and which are done with.

use std::collections::HashSet;

use parlour_core::{
    delivery::DeliveryPath,
    id::MessageId,
    message::{Importance, Message},
};

use super::{Course, Keeper, LOOK_AGAIN, OpenWork, Outcome, Running};
use crate::runner::{
    control::Control,
    interjecting::{self, Interjected, is_asked},
    known::Known,
    shared::Wanted,
    work::WorkId,
};

/// Questions that are answered at once. A few more than one, so that a slow answer keeps no critical question waiting.
const ANSWERED_AT_ONCE_MAX: usize = 4;
/// Questions that wait; further ones are found at the hub when there is room.
const WAITING_MAX: usize = 200;
/// Questions that are done with and are not taken up again.
const DONE_LEN_MAX: usize = 1_000;

/// The questions of a keeper.
pub(super) struct Questions {
    waiting: Vec<Wanted>,
    done: Known<MessageId>,
}

impl Default for Questions {
    fn default() -> Self {
        Self { waiting: Vec::new(), done: Known::new(DONE_LEN_MAX) }
    }
}

impl Questions {
    /// The next to be answered: the most important, and the one that came first among equals.
    fn next(&mut self) -> Option<Wanted> {
        let rank = |importance: Importance| match importance {
            Importance::Critical => 0,
            Importance::High => 1,
            Importance::Normal => 2,
        };
        let first = self.waiting.iter().enumerate().min_by_key(|(_, wanted)| rank(wanted.importance))?.0;
        Some(self.waiting.remove(first))
    }
}

impl Keeper {
    /// Whether a question waits or is being answered.
    pub(super) fn has_questions(&self) -> bool {
        !self.questions.waiting.is_empty() || self.answered_now() > 0
    }

    /// A message that asks the agent something: it is answered at once, and whatever works asks whether it may go on.
    pub(super) fn take_question(&mut self, message: &Message) {
        self.add_question(wanted(message, false));
    }

    /// What was asked while nobody listened. What was called and is no call any more was begun before: it may have been
    /// interrupted.
    pub(super) fn take_open_questions(&mut self, open: &OpenWork) {
        let me = self.shared.agent().id;
        let called: HashSet<_> = open.calls.iter().map(|call| &call.message_id).collect();
        for message in open.questions.iter().filter(|message| is_asked(message, &me)) {
            let is_begun = message.calls.contains(&me) && !called.contains(&message.id);
            self.add_question(wanted(message, is_begun));
        }
    }

    /// A paused run waits for this. What is done with is said to be, so that the run goes on.
    pub(super) fn take_wanted(&mut self, wanted: Wanted) {
        if self.questions.done.contains(&wanted.message_id) {
            self.resume_paused_by(&wanted.message_id);
        } else {
            self.add_question(wanted);
        }
    }

    /// Whether this message is known here as a question.
    pub(super) fn is_question(&self, id: &MessageId) -> bool {
        let is_waiting = self.questions.waiting.iter().any(|waiting| waiting.message_id == *id);
        is_waiting || self.questions.done.contains(id) || self.is_answering(id)
    }

    fn add_question(&mut self, wanted: Wanted) {
        let id = wanted.message_id.clone();
        if self.is_question(&id) || self.questions.waiting.len() >= WAITING_MAX {
            return;
        }
        // It is answered here and nowhere else.
        self.lanes.withdraw(&WorkId::Call(id.clone()));
        self.questions.waiting.push(wanted);
        if self.answered_now() >= ANSWERED_AT_ONCE_MAX {
            self.report_queued(id);
        }
        let works = self.running.iter().filter(|running| matches!(running.course, Course::Lane(_)));
        works.for_each(|running| running.control.want_checkpoint());
    }

    fn is_answering(&self, id: &MessageId) -> bool {
        self.running.iter().any(|running| matches!(&running.course, Course::Question(message) if message == id))
    }

    fn answered_now(&self) -> usize {
        self.running.iter().filter(|running| matches!(running.course, Course::Question(_))).count()
    }

    pub(super) fn begin_questions(&mut self) {
        while self.answered_now() < ANSWERED_AT_ONCE_MAX
            && let Some(wanted) = self.questions.next()
        {
            self.begin_question(wanted);
        }
    }

    fn begin_question(&mut self, wanted: Wanted) {
        let (shared, control) = (self.shared.clone(), Control::new());
        let works = self.running.iter().any(|running| matches!(running.course, Course::Lane(_)));
        let delivered_via = if works { DeliveryPath::Checkpoint } else { DeliveryPath::Prompt };
        let (steered, message) = (control.clone(), wanted.message_id.clone());
        let answering = async move { interjecting::interject(shared, steered, wanted, delivered_via).await };
        let errand = self.errands.spawn(async { Outcome::Question(answering.await) }).id();
        let work = vec![WorkId::Call(message.clone())];
        self.running.push(Running { errand, course: Course::Question(message), work, control });
    }

    pub(super) fn settle_question(&mut self, message: MessageId, outcome: Interjected) {
        match outcome {
            Interjected::Later => return self.look_again_for_work(LOOK_AGAIN),
            Interjected::Interrupted(importance) => {
                return self.add_question(Wanted { message_id: message, importance, is_begun: true });
            }
            _ => {}
        }
        self.questions.done.insert(message.clone());
        if outcome != Interjected::Settled {
            self.resume_paused_by(&message);
        }
        if let Interjected::Ordinary(call) = outcome {
            self.lanes.forget(&WorkId::Call(message));
            self.add_call(*call);
        }
    }
}

fn wanted(message: &Message, is_begun: bool) -> Wanted {
    Wanted { message_id: message.id.clone(), importance: message.importance, is_begun }
}
