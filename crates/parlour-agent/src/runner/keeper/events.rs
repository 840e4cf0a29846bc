//! What an event of the project means to the runner of one agent.

use parlour_core::{
    call::Call,
    event::Change,
    id::{MemberId, MessageId},
    message::{Message, State},
    run::{Run, RunState},
    task::{Task, TaskStatus},
};

use super::Keeper;
use crate::runner::{
    interjecting::is_asked,
    turn::run_of,
    work::{WorkId, call_of},
};

impl Keeper {
    pub(super) fn take_event(&mut self, change: Change) {
        let me = self.shared.agent().id;
        match change {
            Change::MessagePosted(message) | Change::MessageFinished(message) => self.take_message(&message),
            Change::MessageRemoved(message) => {
                self.lanes.withdraw(&WorkId::Call(message.id.clone()));
                self.end_answer(&message.id);
            }
            Change::CallPassed(passed) if passed.agent_id == me => {
                self.lanes.withdraw(&WorkId::Call(passed.message_id.clone()));
            }
            Change::AgentUpdated(agent) if agent.id == me => self.shared.change_agent(*agent),
            Change::RunEnded(run) if run.state == RunState::Cancelled => self.stop_run(&run),
            Change::TaskCreated(task) | Change::TaskUpdated(task) => self.take_task(*task),
            _ => {}
        }
    }

    fn take_message(&mut self, message: &Message) {
        let me = self.shared.agent().id;
        if is_asked(message, &me) {
            self.take_question(message);
        } else if let Some(call) = call_of(message, &me) {
            self.take_call(message, call);
        }
        if message.from.member_id() == Some(me.into()) {
            self.take_own_message(message);
        }
    }

    /// The answer to what the agent has asked is waited for already: it needs no answer of its own.
    fn take_call(&mut self, message: &Message, call: Call) {
        if message.answer_to.as_ref().is_some_and(|answered| self.shared.has_asked(&answered.message_id)) {
            self.lanes.withdraw(&WorkId::Call(call.message_id.clone()));
            self.pass(call, "it answers a question".to_owned());
        } else {
            self.add_call(call);
        }
    }

    /// The agent's own words: an answer of this process that somebody has stopped, or one of another process, after
    /// which there is nothing left to answer.
    fn take_own_message(&mut self, message: &Message) {
        if matches!(message.state, State::Cancelled | State::Interrupted) {
            self.end_answer(&message.id);
        }
        match &message.reply_to {
            // A question is answered out of its turn: what was called before it still waits for an answer of its own.
            Some(question) if self.is_question(question) => self.lanes.withdraw(&WorkId::Call(question.clone())),
            Some(answered) => self.lanes.withdraw_up_to(answered),
            None => {}
        }
        let run = run_of(&message.id).filter(|run| self.other_runs.contains(run));
        if let Some(run) = run.filter(|_| message.state != State::Streaming) {
            self.tidy(run);
        }
    }

    fn end_answer(&self, id: &MessageId) {
        let meant = self.running.iter().filter(|running| running.control.is_answer(id));
        meant.for_each(|running| running.control.ended.cancel());
    }

    fn stop_run(&self, run: &Run) {
        let meant = self.running.iter().filter(|running| running.control.is_run(&run.id));
        let reason = run.reason.clone().unwrap_or_else(|| "its run was stopped".to_owned());
        meant.for_each(|running| running.control.stop_run(reason.clone()));
    }

    fn take_task(&mut self, task: Task) {
        let is_mine = task.assignee == Some(MemberId::from(self.shared.agent().id));
        let is_wanted = is_mine && matches!(task.status, TaskStatus::Open | TaskStatus::Working);
        if !is_wanted {
            self.give_up(&WorkId::Task(task.id));
        } else if task.status == TaskStatus::Open && self.shared.options.picks_up_tasks {
            self.add_task(task);
        }
    }

    /// The task was given to somebody else or is no longer wanted.
    fn give_up(&mut self, task: &WorkId) {
        self.lanes.withdraw(task);
        self.lanes.forget(task);
        let meant = self.running.iter().filter(|running| running.work.contains(task));
        meant.for_each(|running| running.control.ended.cancel());
    }
}
