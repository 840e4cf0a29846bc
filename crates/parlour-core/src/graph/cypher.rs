//! The graph as Cypher statements.

use std::{collections::HashMap, fmt::Write};

use super::{EdgeKind, Graph, NodeKind, is_disruptive};

/// Each line is one statement; every text of a user is a string literal in it.
pub(super) fn render(graph: &Graph) -> String {
    let kinds: HashMap<_, _> = graph.nodes.iter().map(|node| (node.id.as_str(), node.kind)).collect();
    let mut text = String::new();
    for node in &graph.nodes {
        let (kind, id, label) = (label_of(node.kind), quote(&node.id), quote(&node.label));
        write_line(&mut text, format_args!("MERGE (n:{kind} {{id: {id}}}) SET n.label = {label};"));
    }
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (kinds.get(edge.from.as_str()), kinds.get(edge.to.as_str())) {
            let from = format!("(a:{} {{id: {}}})", label_of(*from), quote(&edge.from));
            let to = format!("(b:{} {{id: {}}})", label_of(*to), quote(&edge.to));
            write_line(&mut text, format_args!("MATCH {from}, {to} MERGE (a)-[:{}]->(b);", type_of(edge.kind)));
        }
    }
    if graph.is_truncated {
        write_line(&mut text, format_args!("// The graph is too large; this is a part of it."));
    }
    text
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a string takes any text");
}

/// Writes a string literal. Some readers resolve `\u` before they look for strings; a doubled backslash then still
/// leaves an odd number of them before the sign it makes, so a hidden quotation mark stays escaped.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('\'');
    for sign in text.chars() {
        match sign {
            '\'' => quoted.push_str("\\'"),
            '\\' => quoted.push_str("\\\\"),
            _ if is_disruptive(sign) => {
                write!(quoted, "\\u{:04x}", u32::from(sign)).expect("a string takes any text");
            }
            _ => quoted.push(sign),
        }
    }
    quoted.push('\'');
    quoted
}

fn label_of(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Project => "Project",
        NodeKind::Person => "Person",
        NodeKind::Agent => "Agent",
        NodeKind::Task => "Task",
        NodeKind::Batch => "Batch",
        NodeKind::Artifact => "Artifact",
        NodeKind::Channel => "Channel",
        NodeKind::Thread => "Thread",
        NodeKind::Dm => "Dm",
        NodeKind::Message => "Message",
    }
}

fn type_of(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Parent => "PARENT",
        EdgeKind::Peer => "PEER",
        EdgeKind::Member => "MEMBER",
        EdgeKind::Delegates => "DELEGATES",
        EdgeKind::Produced => "PRODUCED",
        EdgeKind::Mentions => "MENTIONS",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::tests::{hostile_labels, labelled, sample, without_strings};

    use super::*;

    #[test]
    fn a_small_graph_reads_well() {
        insta::assert_snapshot!(render(&sample()), @r"
        MERGE (n:Project {id: 'prj_1'}) SET n.label = 'Demo';
        MERGE (n:Person {id: 'per_1'}) SET n.label = 'Ann';
        MERGE (n:Agent {id: 'agt_1'}) SET n.label = 'Coder';
        MERGE (n:Task {id: 'tsk_1'}) SET n.label = 'Fix the build';
        MERGE (n:Channel {id: 'chn_1'}) SET n.label = 'general';
        MATCH (a:Project {id: 'prj_1'}), (b:Agent {id: 'agt_1'}) MERGE (a)-[:MEMBER]->(b);
        MATCH (a:Project {id: 'prj_1'}), (b:Channel {id: 'chn_1'}) MERGE (a)-[:PARENT]->(b);
        MATCH (a:Person {id: 'per_1'}), (b:Agent {id: 'agt_1'}) MERGE (a)-[:DELEGATES]->(b);
        MATCH (a:Agent {id: 'agt_1'}), (b:Person {id: 'per_1'}) MERGE (a)-[:PEER]->(b);
        MATCH (a:Task {id: 'tsk_1'}), (b:Agent {id: 'agt_1'}) MERGE (a)-[:MENTIONS]->(b);
        ");
    }

    #[test]
    fn a_cut_graph_says_so() {
        let graph = Graph { is_truncated: true, ..sample() };
        assert!(render(&graph).ends_with("\n// The graph is too large; this is a part of it.\n"));
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quote("O'Brien'}) DETACH DELETE n //"), r"'O\'Brien\'}) DETACH DELETE n //'");
        assert_eq!(quote(r"a\' \u0027"), r"'a\\\' \\u0027'");
        assert_eq!(quote("a\nb\0\u{202E}"), r"'a\u000ab\u0000\u202e'");
    }

    proptest! {
        #[test]
        fn no_label_can_end_its_string(labels in hostile_labels()) {
            let harmless = vec!["x".to_owned(); labels.len()];
            let (text, expected) = (render(&labelled(&labels)), render(&labelled(&harmless)));
            prop_assert_eq!(without_strings(&text, '\''), without_strings(&expected, '\''));
        }

        #[test]
        fn early_unicode_escapes_open_no_string(label in r"[\\u0027'a]{0,24}") {
            let resolved = quote(&label).replace("\\u0027", "'");
            prop_assert_eq!(without_strings(&resolved, '\''), "□");
        }
    }
}
