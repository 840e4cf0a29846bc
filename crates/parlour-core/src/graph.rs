//! The project graph: the parts of a project and their relations, as data and in three drawing languages.

use std::collections::HashSet;

use crate::limits;

mod cypher;
mod dot;
mod mermaid;
mod sketch;

pub use sketch::GraphBuilder;

/// Characters of a node's label.
const LABEL_CHARS_MAX: usize = 80;

/// The kind of a node, by importance: when a graph is cut, the last kinds are dropped first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NodeKind {
    /// The project itself.
    Project,
    /// A person.
    Person,
    /// An agent.
    Agent,
    /// A task.
    Task,
    /// A batch of tasks.
    Batch,
    /// An artifact.
    Artifact,
    /// A channel.
    Channel,
    /// A thread.
    Thread,
    /// A DM.
    Dm,
    /// A message.
    Message,
}

/// The relation of two nodes, read from `from` to `to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum EdgeKind {
    /// `from` holds `to`.
    Parent,
    /// The nodes are neighbours.
    Peer,
    /// `from` has the member `to`.
    Member,
    /// `from` gives work to `to`.
    Delegates,
    /// `from` made `to`.
    Produced,
    /// `from` mentions `to`.
    Mentions,
}

/// One thing of the project.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Node {
    /// The id of the thing.
    pub id: String,
    /// The kind.
    pub kind: NodeKind,
    /// The label: a name, a title or the beginning of a text.
    pub label: String,
}

/// One connection between two things.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Edge {
    /// The id of the node where it starts.
    pub from: String,
    /// The id of the node where it ends.
    pub to: String,
    /// The relation.
    pub kind: EdgeKind,
}

/// The nodes and edges of a project that one caller may see.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Graph {
    /// The nodes, by kind and id.
    pub nodes: Vec<Node>,
    /// The edges, by their ends and kind.
    pub edges: Vec<Edge>,
    /// Whether something was left out because the graph is too large.
    #[serde(rename = "truncated")]
    pub is_truncated: bool,
}

impl Graph {
    /// Sorts and deduplicates nodes and edges. Labels become one short line; an empty label becomes the id. Edges to
    /// missing nodes are dropped, and nodes and edges over `GRAPH_NODES_MAX` and `GRAPH_EDGES_MAX` too.
    pub fn new(mut nodes: Vec<Node>, mut edges: Vec<Edge>) -> Self {
        nodes.sort_by(|left, right| (left.kind, &left.id, &left.label).cmp(&(right.kind, &right.id, &right.label)));
        let mut known = HashSet::with_capacity(nodes.len());
        nodes.retain(|node| known.insert(node.id.clone()));
        let are_nodes_cut = nodes.len() > limits::GRAPH_NODES_MAX;
        for node in nodes.drain(nodes.len().min(limits::GRAPH_NODES_MAX)..) {
            known.remove(&node.id);
        }
        for node in &mut nodes {
            node.label = shorten(if node.label.trim().is_empty() { &node.id } else { &node.label });
        }
        edges.retain(|edge| known.contains(&edge.from) && known.contains(&edge.to));
        edges.sort_unstable();
        edges.dedup();
        let are_edges_cut = edges.len() > limits::GRAPH_EDGES_MAX;
        edges.truncate(limits::GRAPH_EDGES_MAX);
        Self { nodes, edges, is_truncated: are_nodes_cut || are_edges_cut }
    }

    /// Draws the graph in Mermaid: one line for the head, then one for each node and each edge.
    pub fn to_mermaid(&self) -> String {
        mermaid::render(self)
    }

    /// Draws the graph in DOT, the language of Graphviz: one line for each node and each edge between the braces.
    pub fn to_dot(&self) -> String {
        dot::render(self)
    }

    /// Writes the graph as Cypher statements, one per line. Running them again creates no duplicates.
    pub fn to_cypher(&self) -> String {
        cypher::render(self)
    }
}

impl NodeKind {
    /// The name of the kind on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Person => "person",
            Self::Agent => "agent",
            Self::Task => "task",
            Self::Batch => "batch",
            Self::Artifact => "artifact",
            Self::Channel => "channel",
            Self::Thread => "thread",
            Self::Dm => "dm",
            Self::Message => "message",
        }
    }
}

impl EdgeKind {
    /// The name of the kind on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Parent => "parent",
            Self::Peer => "peer",
            Self::Member => "member",
            Self::Delegates => "delegates",
            Self::Produced => "produced",
            Self::Mentions => "mentions",
        }
    }
}

fn shorten(label: &str) -> String {
    let line = label.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LABEL_CHARS_MAX) {
        Some(_) => line.chars().take(LABEL_CHARS_MAX - 1).chain(['…']).collect(),
        None => line,
    }
}

/// Whether a character could break a line or change the text direction in the source of the drawing.
fn is_disruptive(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests;
