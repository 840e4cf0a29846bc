//! Nodes and edges as they are found. The core drops edges to nowhere, so an edge may name what is not shown.

use std::fmt::Display;

use parlour_core::{
    artifact::Artifact,
    conversation::Conversation,
    graph::{Edge, EdgeKind, Graph, Node, NodeKind},
    id::{ConversationId, MemberId, ProjectId},
    message::Message,
    name::Name,
    project::Project,
    task::{Batch, Task},
};

/// A graph that grows.
#[derive(Default)]
pub(super) struct Sketch {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

impl Sketch {
    /// The graph of everything that was added.
    pub(super) fn finish(self) -> Graph {
        Graph::new(self.nodes, self.edges)
    }

    pub(super) fn add_project(&mut self, project: &Project) {
        self.node(&project.id, NodeKind::Project, project.name.as_str());
    }

    pub(super) fn add_member(&mut self, project: &ProjectId, member: &MemberId, name: &Name) {
        let kind = match member {
            MemberId::Person(_) => NodeKind::Person,
            MemberId::Agent(_) => NodeKind::Agent,
        };
        self.node(member, kind, name.as_str());
        self.edge(project, EdgeKind::Member, member);
    }

    pub(super) fn add_batch(&mut self, batch: &Batch) {
        self.node(&batch.id, NodeKind::Batch, batch.name.as_str());
        self.edge(&batch.project_id, EdgeKind::Parent, &batch.id);
        self.edge(&batch.created_by, EdgeKind::Produced, &batch.id);
    }

    /// A task hangs below its larger task or its batch, and below the project only when it has neither.
    pub(super) fn add_task(&mut self, task: &Task) {
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

    pub(super) fn add_artifact(&mut self, artifact: &Artifact) {
        self.node(&artifact.id, NodeKind::Artifact, &artifact.filename);
        self.edge(&artifact.project_id, EdgeKind::Parent, &artifact.id);
        self.edge(&artifact.created_by, EdgeKind::Produced, &artifact.id);
        if let Some(task) = &artifact.task_id {
            self.edge(task, EdgeKind::Produced, &artifact.id);
        }
    }

    pub(super) fn add_conversation(&mut self, conversation: &Conversation) {
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

    /// The members of a private channel or dm.
    pub(super) fn add_seats(&mut self, conversation: &ConversationId, members: &[MemberId]) {
        for member in members {
            self.edge(conversation, EdgeKind::Member, member);
        }
    }

    pub(super) fn add_message(&mut self, message: &Message) {
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
