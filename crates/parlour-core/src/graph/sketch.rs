//! The nodes and edges of each object. An edge may refer to a node that is not added: such edges are dropped at the
//! end, so a store only adds the objects that the reader may see.

use std::fmt::Display;

use crate::{
    artifact::Artifact,
    conversation::Conversation,
    id::{ConversationId, MemberId, ProjectId},
    message::Message,
    name::Name,
    project::Project,
    task::{Batch, Task},
};

use super::{Edge, EdgeKind, Graph, Node, NodeKind};

/// Builds a graph object by object.
#[derive(Default)]
pub struct GraphBuilder {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl GraphBuilder {
    /// The graph of everything that was added.
    pub fn finish(self) -> Graph {
        Graph::new(self.nodes, self.edges)
    }

    /// Adds the project.
    pub fn add_project(&mut self, project: &Project) {
        self.node(&project.id, NodeKind::Project, project.name.as_str());
    }

    /// Adds a member of the project.
    pub fn add_member(&mut self, project: &ProjectId, member: &MemberId, name: &Name) {
        let kind = match member {
            MemberId::Person(_) => NodeKind::Person,
            MemberId::Agent(_) => NodeKind::Agent,
        };
        self.node(member, kind, name.as_str());
        self.edge(project, EdgeKind::Member, member);
    }

    /// Adds a batch with edges from the project and its creator.
    pub fn add_batch(&mut self, batch: &Batch) {
        self.node(&batch.id, NodeKind::Batch, batch.name.as_str());
        self.edge(&batch.project_id, EdgeKind::Parent, &batch.id);
        self.edge(&batch.created_by, EdgeKind::Produced, &batch.id);
    }

    /// Adds a task below its parent task or its batch, or below the project if it has neither.
    pub fn add_task(&mut self, task: &Task) {
        self.node(&task.id, NodeKind::Task, &task.title);
        if let Some(parent) = &task.parent_id {
            self.edge(parent, EdgeKind::Parent, &task.id);
        }
        if let Some(batch) = &task.batch_id {
            self.edge(batch, EdgeKind::Parent, &task.id);
        }
        if task.parent_id.is_none() && task.batch_id.is_none() {
            self.edge(&task.project_id, EdgeKind::Parent, &task.id);
        }
        if let Some(thread) = &task.thread_id {
            self.edge(&task.id, EdgeKind::Peer, thread);
        }
        self.edge(&task.created_by, EdgeKind::Produced, &task.id);
        if let Some(assignee) = &task.assignee {
            self.edge(&task.id, EdgeKind::Delegates, assignee);
            self.edge(&task.created_by, EdgeKind::Delegates, assignee);
        }
    }

    /// Adds an artifact with edges from the project, its uploader and its task.
    pub fn add_artifact(&mut self, artifact: &Artifact) {
        self.node(&artifact.id, NodeKind::Artifact, &artifact.filename);
        self.edge(&artifact.project_id, EdgeKind::Parent, &artifact.id);
        self.edge(&artifact.created_by, EdgeKind::Produced, &artifact.id);
        if let Some(task) = &artifact.task_id {
            self.edge(task, EdgeKind::Produced, &artifact.id);
        }
    }

    /// Adds a conversation: channels and DMs below the project, threads below their channel and message.
    pub fn add_conversation(&mut self, conversation: &Conversation) {
        match conversation {
            Conversation::Channel(channel) => {
                self.node(&channel.id, NodeKind::Channel, channel.name.as_str());
                self.edge(&channel.project_id, EdgeKind::Parent, &channel.id);
            }
            Conversation::Thread(thread) => {
                self.node(&thread.id, NodeKind::Thread, "");
                self.edge(&thread.channel_id, EdgeKind::Parent, &thread.id);
                self.edge(&thread.root_message_id, EdgeKind::Parent, &thread.id);
            }
            Conversation::Dm(dm) => {
                self.node(&dm.id, NodeKind::Dm, "");
                self.edge(&dm.project_id, EdgeKind::Parent, &dm.id);
                self.add_seats(&conversation.id(), &dm.participants);
            }
        }
    }

    /// Adds the members of a private channel or DM.
    pub fn add_seats(&mut self, conversation: &ConversationId, members: &[MemberId]) {
        for member in members {
            self.edge(conversation, EdgeKind::Member, member);
        }
    }

    /// Adds a message with edges to its conversation, author, artifacts and mentioned members.
    pub fn add_message(&mut self, message: &Message) {
        self.node(&message.id, NodeKind::Message, &message.body);
        self.edge(&message.to, EdgeKind::Parent, &message.id);
        if let Some(author) = message.from.member_id() {
            self.edge(&author, EdgeKind::Produced, &message.id);
        }
        for artifact in &message.artifacts {
            self.edge(&message.id, EdgeKind::Parent, artifact);
        }
        for member in &message.mentions {
            self.edge(&message.id, EdgeKind::Mentions, member);
        }
    }

    fn node(&mut self, id: &impl Display, kind: NodeKind, label: &str) {
        self.nodes.push(Node { id: id.to_string(), kind, label: label.to_owned() });
    }

    fn edge(&mut self, from: &impl Display, kind: EdgeKind, to: &impl Display) {
        self.edges.push(Edge { from: from.to_string(), to: to.to_string(), kind });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Timestamp,
        id::{AgentId, PersonId, TaskId},
        message::tests::sample,
        task::TaskStatus,
    };

    fn task(parent_id: Option<TaskId>) -> Task {
        Task {
            id: TaskId::from_bits(2),
            project_id: ProjectId::from_bits(1),
            title: "Mend it".into(),
            description: None,
            status: TaskStatus::Open,
            assignee: Some(AgentId::from_bits(1).into()),
            parent_id,
            batch_id: None,
            thread_id: None,
            created_by: PersonId::from_bits(1).into(),
            created_at: Timestamp::from_millis(0),
            updated_at: Timestamp::from_millis(0),
        }
    }

    fn kinds_from(sketch: &GraphBuilder, from: &str) -> Vec<EdgeKind> {
        sketch.edges.iter().filter(|edge| edge.from == from).map(|edge| edge.kind).collect()
    }

    #[test]
    fn the_parent_of_a_task_is_its_parent_task_or_else_the_project() {
        let mut sketch = GraphBuilder::default();
        sketch.add_task(&task(None));
        assert_eq!(kinds_from(&sketch, ProjectId::from_bits(1).as_str()), [EdgeKind::Parent]);
        let mut sketch = GraphBuilder::default();
        sketch.add_task(&task(Some(TaskId::from_bits(1))));
        assert_eq!(kinds_from(&sketch, ProjectId::from_bits(1).as_str()), []);
        assert_eq!(kinds_from(&sketch, TaskId::from_bits(1).as_str()), [EdgeKind::Parent]);
    }

    #[test]
    fn the_creator_of_a_task_delegates_to_its_assignee() {
        let mut sketch = GraphBuilder::default();
        sketch.add_task(&task(None));
        let creator = PersonId::from_bits(1);
        assert_eq!(kinds_from(&sketch, creator.as_str()), [EdgeKind::Produced, EdgeKind::Delegates]);
    }

    #[test]
    fn edges_to_nodes_that_were_not_added_are_omitted() {
        let mut sketch = GraphBuilder::default();
        sketch.add_message(&sample());
        let graph = sketch.finish();
        assert_eq!((graph.nodes.len(), graph.edges.len()), (1, 0));
    }
}
