//! The graph as a Mermaid flowchart.

use std::{collections::HashMap, fmt::Write};

use super::{EdgeKind, Graph, NodeKind};

/// Ids are numbers here, so that no user text is outside quotation marks.
pub(super) fn render(graph: &Graph) -> String {
    let mut text = String::from("flowchart LR\n");
    let mut indexes = HashMap::with_capacity(graph.nodes.len());
    for (index, node) in graph.nodes.iter().enumerate() {
        indexes.insert(node.id.as_str(), index);
        let (open, close) = brackets(node.kind);
        write_line(&mut text, format_args!("n{index}{open}\"{}\"{close}", escape(&node.label)));
    }
    for edge in &graph.edges {
        if let (Some(from), Some(to)) = (indexes.get(edge.from.as_str()), indexes.get(edge.to.as_str())) {
            write_line(&mut text, format_args!("n{from} {}|{}| n{to}", arrow(edge.kind), edge.kind.as_str()));
        }
    }
    if graph.is_truncated {
        write_line(&mut text, format_args!("%% The graph is too large; this is a part of it."));
    }
    text
}

fn write_line(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "  {line}").expect("a string takes any text");
}

/// Writes everything but letters, digits and a few harmless signs as an entity. Quotation marks alone would not do:
/// Mermaid processes directives, entities and styles in the whole source before it parses strings.
fn escape(label: &str) -> String {
    // An empty string is an error in Mermaid.
    let label = if label.is_empty() { " " } else { label };
    let mut text = String::with_capacity(label.len());
    for sign in label.chars() {
        match sign {
            '"' => text.push_str("#quot;"),
            '<' => text.push_str("#lt;"),
            '>' => text.push_str("#gt;"),
            '&' => text.push_str("#amp;"),
            ' ' | '-' | '_' | '.' | ',' | '!' | '?' | '\'' | '…' => text.push(sign),
            _ if sign.is_alphanumeric() => text.push(sign),
            _ if sign.is_control() => text.push(' '),
            _ => write!(text, "#{};", u32::from(sign)).expect("a string takes any text"),
        }
    }
    text
}

fn brackets(kind: NodeKind) -> (&'static str, &'static str) {
    match kind {
        NodeKind::Project => ("[[", "]]"),
        NodeKind::Person | NodeKind::Agent => ("([", "])"),
        NodeKind::Task | NodeKind::Batch => ("[", "]"),
        NodeKind::Artifact => ("[(", ")]"),
        NodeKind::Channel | NodeKind::Thread | NodeKind::Dm => ("(", ")"),
        NodeKind::Message => (">", "]"),
    }
}

fn arrow(kind: EdgeKind) -> &'static str {
    match kind {
        EdgeKind::Peer => "---",
        EdgeKind::Mentions => "-.->",
        EdgeKind::Delegates => "==>",
        EdgeKind::Parent | EdgeKind::Member | EdgeKind::Produced => "-->",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::graph::tests::{hostile_labels, labelled, sample};

    use super::*;

    #[test]
    fn a_small_graph_reads_well() {
        insta::assert_snapshot!(render(&sample()), @r#"
        flowchart LR
          n0[["Demo"]]
          n1(["Ann"])
          n2(["Coder"])
          n3["Fix the build"]
          n4("general")
          n0 -->|member| n2
          n0 -->|parent| n4
          n1 ==>|delegates| n2
          n2 ---|peer| n1
          n3 -.->|mentions| n2
        "#);
    }

    #[test]
    fn a_cut_graph_says_so() {
        let graph = Graph { is_truncated: true, ..sample() };
        assert!(render(&graph).ends_with("\n  %% The graph is too large; this is a part of it.\n"));
    }

    #[test]
    fn mermaid_syntax_characters_become_entities() {
        assert_eq!(escape("\"]; a-->b"), "#quot;#93;#59; a--#gt;b");
        assert_eq!(escape("%%{init}%%"), "#37;#37;#123;init#125;#37;#37;");
        assert_eq!(escape("`#quot; <script>\n\\"), "#96;#35;quot#59; #lt;script#gt; #92;");
        assert_eq!(escape("Jürgen 太郎's…"), "Jürgen 太郎's…");
        assert_eq!(escape(""), " ");
    }

    proptest! {
        #[test]
        fn no_label_can_end_its_string(labels in hostile_labels()) {
            let text = render(&labelled(&labels));
            prop_assert_eq!(text.lines().count(), 1 + 2 * labels.len() - 1);
            for (line, label) in text.lines().skip(1).zip(&labels) {
                let inner = line.trim().split_once("[\"").and_then(|(_, rest)| rest.strip_suffix("\"]"));
                let inner = inner.expect("a node with its label");
                let marks = ['"', '`', '%', '{', '}', '<', '>', '[', ']', '\\', ':', '|'];
                prop_assert!(!inner.contains(marks), "{}", inner);
                prop_assert_eq!(inner.matches('#').count(), inner.matches(';').count(), "{:?}", label);
            }
        }
    }
}
