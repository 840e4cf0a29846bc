//! Tasks that agents assign to each other: a task without a parent still follows from the task that its creator works
//! on, so that two agents cannot assign each other tasks endlessly.

use crate::{
    Timestamp,
    author::AuthorType,
    call::Call,
    id::{AgentId, MemberId},
    limits,
    task::Task,
};

/// The assignments that led to a new task of `creator`, newest first: the last task that another member assigned to it,
/// then the last task that was assigned to the creator of that one before, and so on, until a person assigned one. At
/// most `TASK_DEPTH_MAX` + 1.
///
/// `recent` has the latest tasks of the project, newest first. Tasks created before `after` no longer count.
pub fn delegation_chain<'a>(recent: &'a [Task], creator: &AgentId, after: Timestamp) -> Vec<&'a Task> {
    let mut chain = Vec::new();
    let mut assignee: MemberId = creator.clone().into();
    for task in recent.iter().take_while(|task| task.created_at > after) {
        if task.assignee.as_ref() != Some(&assignee) || task.created_by == assignee {
            continue;
        }
        if task.created_by.agent().is_none() || chain.len() > limits::TASK_DEPTH_MAX {
            break;
        }
        assignee = task.created_by.clone();
        chain.push(task);
    }
    chain
}

/// The number of assignments by agents that led to a new task: those of the chain before the first one whose assignee a
/// person has called since. `calls` has the latest calls of the assignees.
pub fn delegation_depth(chain: &[&Task], calls: &[Call]) -> usize {
    let is_called_by_person = |task: &&&Task| {
        calls.iter().any(|call| {
            Some(&MemberId::from(call.agent_id.clone())) == task.assignee.as_ref()
                && call.from.author_type == AuthorType::Person
                && call.called_at >= task.created_at
        })
    };
    chain.iter().take_while(|task| !is_called_by_person(task)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        author::Author,
        call::{CallReason, CallState},
        id::{ChannelId, MessageId, PersonId, ProjectId, TaskId},
        name::Name,
        task::TaskStatus,
    };

    fn agent(bits: u128) -> AgentId {
        AgentId::from_bits(bits)
    }

    fn person() -> MemberId {
        PersonId::from_bits(9).into()
    }

    /// A task that `created_by` assigned to an agent at this time.
    fn task(created_by: MemberId, assignee: u128, at: i64) -> Task {
        Task {
            id: TaskId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            title: "Ship it".into(),
            description: None,
            status: TaskStatus::Done,
            assignee: Some(agent(assignee).into()),
            parent_id: None,
            batch_id: None,
            thread_id: None,
            created_by,
            created_at: Timestamp::from_millis(at),
            updated_at: Timestamp::from_millis(at),
        }
    }

    /// The tasks of two agents that assigned each other `count` tasks, newest first; the last one is for agent 1.
    fn exchange(count: i64) -> Vec<Task> {
        let one = |number: i64| {
            let (from, to) = if number % 2 == 0 { (2, 1) } else { (1, 2) };
            task(agent(from).into(), to, 100 - number)
        };
        (0..count).map(one).collect()
    }

    fn called(by: &MemberId, whom: u128, at: i64) -> Call {
        Call {
            agent_id: agent(whom),
            message_id: MessageId::from_bits(1),
            project_id: ProjectId::from_bits(1),
            conversation_id: ChannelId::from_bits(1).into(),
            reason: CallReason::Mention,
            from: Author::member(by, &Name::parse("Mara").expect("a name")),
            depth: 0,
            correlation_id: None,
            called_at: Timestamp::from_millis(at),
            state: CallState::Open,
            answer_id: None,
        }
    }

    fn depth(recent: &[Task], calls: &[Call]) -> usize {
        delegation_depth(&delegation_chain(recent, &agent(1), Timestamp::from_millis(0)), calls)
    }

    #[test]
    fn tasks_that_agents_assign_to_each_other_form_a_chain() {
        for count in 0..4 {
            assert_eq!(depth(&exchange(count), &[]), usize::try_from(count).expect("small"));
        }
        assert_eq!(depth(&exchange(100), &[]), limits::TASK_DEPTH_MAX + 1);
    }

    #[test]
    fn a_task_of_a_person_starts_a_new_chain() {
        let mut recent = exchange(3);
        recent.insert(0, task(person(), 1, 101));
        assert_eq!(depth(&recent, &[]), 0);
    }

    #[test]
    fn a_call_by_a_person_starts_a_new_chain_and_one_by_an_agent_does_not() {
        let recent = exchange(4);
        assert_eq!(depth(&recent, &[called(&person(), 1, 101)]), 0);
        assert_eq!(depth(&recent, &[called(&person(), 2, 99)]), 1);
        assert_eq!(depth(&recent, &[called(&person(), 1, 96)]), 4, "the call is older than the tasks");
        assert_eq!(depth(&recent, &[called(&agent(2).into(), 1, 101)]), 4);
    }

    #[test]
    fn own_tasks_tasks_of_others_and_old_tasks_do_not_count() {
        let own = task(agent(1).into(), 1, 50);
        let elsewhere = task(agent(3).into(), 4, 50);
        assert_eq!(depth(&[own, elsewhere], &[]), 0);
        let after = Timestamp::from_millis(98);
        assert_eq!(delegation_chain(&exchange(9), &agent(1), after).len(), 2);
    }
}
