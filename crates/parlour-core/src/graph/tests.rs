//! The graph as data, and hostile graphs for the tests of the renderers.

use proptest::prelude::*;

use super::*;

fn node(id: &str, kind: NodeKind, label: &str) -> Node {
    Node { id: id.to_owned(), kind, label: label.to_owned() }
}

fn edge(from: &str, to: &str, kind: EdgeKind) -> Edge {
    Edge { from: from.to_owned(), to: to.to_owned(), kind }
}

/// A small project with most kinds of edges.
pub(super) fn sample() -> Graph {
    let nodes = vec![
        node("prj_1", NodeKind::Project, "Demo"),
        node("per_1", NodeKind::Person, "Ann"),
        node("agt_1", NodeKind::Agent, "Coder"),
        node("tsk_1", NodeKind::Task, "Fix the build"),
        node("chn_1", NodeKind::Channel, "general"),
    ];
    let edges = vec![
        edge("prj_1", "agt_1", EdgeKind::Member),
        edge("prj_1", "chn_1", EdgeKind::Parent),
        edge("per_1", "agt_1", EdgeKind::Delegates),
        edge("agt_1", "per_1", EdgeKind::Peer),
        edge("tsk_1", "agt_1", EdgeKind::Mentions),
    ];
    Graph { nodes, edges, is_truncated: false }
}

/// Labels that try to end their string literal, alone and mixed with arbitrary text.
pub(super) fn hostile_labels() -> impl Strategy<Value = Vec<String>> {
    let label = prop_oneof![
        "[\"'`\\\\#;%&{}<>()|\n\r\t\0/*-]{0,12}",
        Just("\"]; DROP".to_owned()),
        Just("%%{init: {\"theme\": \"x\"}}%%".to_owned()),
        Just("<script>alert(1)</script> --> n0".to_owned()),
        Just("'}) DETACH DELETE n; //".to_owned()),
        Just("style x fill:#f00;".to_owned()),
        ".{0,20}",
    ];
    prop::collection::vec(label, 1..6)
}

/// A chain of tasks with these labels, unchanged.
pub(super) fn labelled(labels: &[String]) -> Graph {
    let nodes = labels.iter().enumerate().map(|(index, label)| node(&format!("tsk_{index}"), NodeKind::Task, label));
    let edges =
        (1..labels.len()).map(|index| edge(&format!("tsk_{}", index - 1), &format!("tsk_{index}"), EdgeKind::Parent));
    Graph { nodes: nodes.collect(), edges: edges.collect(), is_truncated: false }
}

/// Replaces each string literal of a source by `□`; an unterminated one extends to the end.
pub(super) fn without_strings(source: &str, mark: char) -> String {
    let mut rest = String::new();
    let mut signs = source.chars();
    while let Some(sign) = signs.next() {
        if sign == mark {
            rest.push('□');
            while let Some(inner) = signs.next().filter(|inner| *inner != mark) {
                if inner == '\\' {
                    signs.next();
                }
                assert!(inner != '\n', "a string runs over the end of its line");
            }
        } else {
            rest.push(sign);
        }
    }
    rest
}

#[test]
fn nodes_and_edges_are_sorted_and_deduplicated() {
    let sample = sample();
    let twice = |items: &[Node]| items.iter().rev().chain(items).cloned().collect::<Vec<_>>();
    let edges: Vec<_> = sample.edges.iter().chain(&sample.edges).cloned().collect();
    let graph = Graph::new(twice(&sample.nodes), edges);
    assert_eq!(graph.nodes, sample.nodes);
    assert_eq!(graph.edges.len(), sample.edges.len());
    assert!(graph.edges.is_sorted());
    assert!(!graph.is_truncated);
}

#[test]
fn edges_to_missing_nodes_are_dropped() {
    let edges = vec![edge("prj_1", "agt_9", EdgeKind::Member), edge("agt_9", "prj_1", EdgeKind::Peer)];
    assert_eq!(Graph::new(sample().nodes, edges).edges, []);
}

#[test]
fn renderers_omit_edges_to_missing_nodes() {
    let graph = Graph { edges: vec![edge("prj_1", "agt_9", EdgeKind::Member)], ..sample() };
    for text in [graph.to_mermaid(), graph.to_dot(), graph.to_cypher()] {
        assert!(!text.contains("agt_9") && !text.to_lowercase().contains("member"), "{text}");
    }
}

#[test]
fn a_large_graph_keeps_the_project_and_its_members() {
    let mut nodes: Vec<_> =
        (0..limits::GRAPH_NODES_MAX).map(|number| node(&format!("msg_{number}"), NodeKind::Message, "")).collect();
    nodes.extend(sample().nodes);
    let edges = (0..limits::GRAPH_NODES_MAX).map(|number| edge("chn_1", &format!("msg_{number}"), EdgeKind::Parent));
    let graph = Graph::new(nodes, edges.collect());
    assert!(graph.is_truncated);
    assert_eq!(graph.nodes.len(), limits::GRAPH_NODES_MAX);
    assert_eq!(graph.nodes[..5], sample().nodes);
    assert_eq!(graph.edges.len(), limits::GRAPH_NODES_MAX - 5);
}

#[test]
fn edges_over_the_limit_are_dropped() {
    let nodes: Vec<_> = (0..200).map(|number| node(&format!("agt_{number}"), NodeKind::Agent, "")).collect();
    let pairs = (0..200).flat_map(|from| (0..200).map(move |to| (from, to)));
    let edges = pairs.map(|(from, to)| edge(&format!("agt_{from}"), &format!("agt_{to}"), EdgeKind::Peer)).collect();
    let graph = Graph::new(nodes, edges);
    assert!(graph.is_truncated);
    assert_eq!(graph.edges.len(), limits::GRAPH_EDGES_MAX);
}

#[test]
fn labels_are_one_short_line() {
    let graph = Graph::new(vec![node("msg_1", NodeKind::Message, &"word\n ".repeat(100))], Vec::new());
    let label = &graph.nodes[0].label;
    assert!(label.starts_with("word word") && label.ends_with('…'), "{label}");
    assert_eq!(label.chars().count(), LABEL_CHARS_MAX);
    assert_eq!(shorten(&"ö".repeat(80)), "ö".repeat(80));
    assert_eq!(Graph::new(vec![node("dm_1", NodeKind::Dm, " ")], Vec::new()).nodes[0].label, "dm_1");
}

#[test]
fn the_json_format_is_stable() {
    let graph = Graph::new(vec![node("prj_1", NodeKind::Project, "Demo")], Vec::new());
    let json = serde_json::to_string(&graph).expect("json");
    assert_eq!(json, r#"{"nodes":[{"id":"prj_1","kind":"project","label":"Demo"}],"edges":[],"truncated":false}"#);
}

#[test]
fn kinds_have_the_same_name_in_json_and_text() {
    for kind in sample().nodes.iter().map(|node| node.kind) {
        assert_eq!(serde_json::to_value(kind).expect("json"), kind.as_str());
    }
    for kind in sample().edges.iter().map(|edge| edge.kind) {
        assert_eq!(serde_json::to_value(kind).expect("json"), kind.as_str());
    }
}

proptest! {
    #[test]
    fn input_order_does_not_change_the_output(labels in hostile_labels()) {
        let Graph { mut nodes, mut edges, .. } = labelled(&labels);
        let graph = Graph::new(nodes.clone(), edges.clone());
        nodes.reverse();
        edges.reverse();
        let other = Graph::new(nodes, edges);
        prop_assert_eq!(graph.to_mermaid(), other.to_mermaid());
        prop_assert_eq!(graph.to_dot(), other.to_dot());
        prop_assert_eq!(graph.to_cypher(), other.to_cypher());
    }

    #[test]
    fn every_node_and_edge_has_one_line(labels in hostile_labels()) {
        let graph = labelled(&labels);
        let lines = graph.nodes.len() + graph.edges.len();
        prop_assert_eq!(graph.to_mermaid().lines().count(), lines + 1);
        prop_assert_eq!(graph.to_dot().lines().count(), lines + 2);
        prop_assert_eq!(graph.to_cypher().lines().count(), lines);
    }
}
