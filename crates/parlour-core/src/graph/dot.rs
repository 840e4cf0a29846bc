//! The graph in DOT, the language of Graphviz.

use std::{collections::HashSet, fmt::Write};

use super::{EdgeKind, Graph, NodeKind, is_disruptive};

/// Every text of a user is a quoted string, ids included.
pub(super) fn render(graph: &Graph) -> String {
    let known: HashSet<_> = graph.nodes.iter().map(|node| node.id.as_str()).collect();
    let mut text = String::from("digraph project {\n");
    for node in &graph.nodes {
        let (id, label) = (quote(&node.id), quote(&node.label));
        let (kind, shape) = (node.kind.as_str(), shape(node.kind));
        write_line(&mut text, format_args!("{id} [label={label}, class=\"{kind}\", shape={shape}];"));
    }
    for edge in &graph.edges {
        if known.contains(edge.from.as_str()) && known.contains(edge.to.as_str()) {
            let (from, to) = (quote(&edge.from), quote(&edge.to));
            let (kind, style) = (edge.kind.as_str(), style(edge.kind));
            write_line(&mut text, format_args!("{from} -> {to} [label=\"{kind}\"{style}];"));
        }
    }
    if graph.is_truncated {
        write_line(&mut text, format_args!("// The graph is too large; this is a part of it."));
    }
    text + "}\n"
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "  {line}").expect("a string takes any text");
}

/// Writes a quoted string. Backslashes and ampersands are doubled or named, since Graphviz reads both inside strings.
fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for sign in text.chars() {
        match sign {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '&' => quoted.push_str("&amp;"),
            _ if is_disruptive(sign) => quoted.push(' '),
            _ => quoted.push(sign),
        }
    }
    quoted.push('"');
    quoted
}

fn shape(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Project => "folder",
        NodeKind::Person | NodeKind::Agent => "oval",
        NodeKind::Task | NodeKind::Batch => "box",
        NodeKind::Artifact => "cylinder",
        NodeKind::Channel | NodeKind::Thread | NodeKind::Dm => "tab",
        NodeKind::Message => "note",
    }
}

fn style(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Peer => ", dir=none",
        EdgeKind::Mentions => ", style=dotted",
        EdgeKind::Delegates => ", style=bold",
        EdgeKind::Parent | EdgeKind::Member | EdgeKind::Produced => "",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::tests::{hostile_labels, labelled, sample, without_strings};

    use super::*;

    #[test]
    fn a_small_graph_reads_well() {
        insta::assert_snapshot!(render(&sample()), @r#"
        digraph project {
          "prj_1" [label="Demo", class="project", shape=folder];
          "per_1" [label="Ann", class="person", shape=oval];
          "agt_1" [label="Coder", class="agent", shape=oval];
          "tsk_1" [label="Fix the build", class="task", shape=box];
          "chn_1" [label="general", class="channel", shape=tab];
          "prj_1" -> "agt_1" [label="member"];
          "prj_1" -> "chn_1" [label="parent"];
          "per_1" -> "agt_1" [label="delegates", style=bold];
          "agt_1" -> "per_1" [label="peer", dir=none];
          "tsk_1" -> "agt_1" [label="mentions", style=dotted];
        }
        "#);
    }

    #[test]
    fn a_cut_graph_says_so() {
        let graph = Graph { is_truncated: true, ..sample() };
        assert!(render(&graph).ends_with("\n  // The graph is too large; this is a part of it.\n}\n"));
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(quote(r#"a"]; b"#), r#""a\"]; b""#);
        assert_eq!(quote(r#"\" \N"#), r#""\\\" \\N""#);
        assert_eq!(quote("a\nb\u{202E} <b>&amp;"), r#""a b  <b>&amp;amp;""#);
    }

    proptest! {
        #[test]
        fn no_label_can_end_its_string(labels in hostile_labels()) {
            let harmless = vec!["x".to_owned(); labels.len()];
            let (text, expected) = (render(&labelled(&labels)), render(&labelled(&harmless)));
            prop_assert_eq!(without_strings(&text, '"'), without_strings(&expected, '"'));
        }
    }
}
