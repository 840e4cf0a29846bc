//! The visibility matrix: one row for each route, one column for each reader.

use std::collections::BTreeSet;

use crate::populated_hub::PopulatedHub;

const TABLE: &str = include_str!("matrix.table");

/// The readers, in the order of the columns.
pub(crate) const READERS: [&str; 7] = ["nobody", "otto", "robot", "ben", "clerk", "cleo", "admin"];

/// The rows: request, body, statuses.
pub(crate) fn rows() -> impl Iterator<Item = [&'static str; 3]> {
    let lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let cells: Vec<_> = line.split('|').map(str::trim).collect();
        cells.try_into().expect(line)
    })
}

/// Routes with endless responses; other tests cover them.
const ENDLESS: [&str; 2] = ["/events", "/live"];

/// Every method and path of the API description with a finite response.
pub(crate) fn described() -> BTreeSet<String> {
    let document = serde_json::to_value(parlour_server::openapi()).expect("document");
    let paths = document["paths"].as_object().expect("paths");
    let paths = paths.iter().filter(|(path, _)| !ENDLESS.contains(&path.as_str()));
    let operations = paths.flat_map(|(path, item)| {
        item.as_object().expect("methods").keys().map(move |method| format!("{} {path}", method.to_uppercase()))
    });
    operations.collect()
}

/// Whether a request of the table belongs to this operation.
pub(crate) fn is_of(operation: &str, request: &str) -> bool {
    let path = request.split('?').next().unwrap_or_default();
    let (expected, given): (Vec<_>, Vec<_>) = (operation.split('/').collect(), path.split('/').collect());
    expected.len() == given.len()
        && expected.iter().zip(given).all(|(want, part)| want.starts_with('{') || *want == part)
}

#[test]
fn every_route_has_a_row() {
    for operation in described() {
        assert!(rows().any(|[request, ..]| is_of(&operation, request)), "{operation} has no row: say who may see it");
    }
}

#[test]
fn every_row_has_a_route() {
    let described = described();
    for [request, ..] in rows() {
        assert!(described.iter().any(|operation| is_of(operation, request)), "{request}");
    }
}

#[tokio::test]
async fn every_reader_gets_the_status_of_the_table() {
    let hub = PopulatedHub::new().await;
    for [request, body, statuses] in rows() {
        let statuses: Vec<u16> = statuses.split(' ').map(|status| status.parse().expect("a status")).collect();
        assert_eq!(statuses.len(), READERS.len(), "{request}");
        for (reader, status) in READERS.into_iter().zip(statuses) {
            let before = hub.ends().await;
            let reply = hub.call(reader, request, &body.replace('@', reader)).await;
            let why = format!("{request} {body} by {reader}");
            let found = reply.status.as_u16();
            hub.record(&why, (found != status).then(|| format!("{found} instead of {status}")));
            let is_quiet = found < 400 || hub.ends().await == before;
            hub.record(&why, (!is_quiet).then(|| "refused, and yet something was stored".to_owned()));
        }
    }
}

#[tokio::test]
async fn hidden_and_missing_targets_get_the_same_refusal() {
    let hub = PopulatedHub::new().await;
    let mut compared = 0;
    for [request, body, statuses] in rows() {
        for (reader, status) in READERS.into_iter().zip(statuses.split(' ')) {
            let absent = (absent_for(request), absent_for(body));
            if status == "404" && absent != (request.to_owned(), body.to_owned()) {
                let hidden = hub.anonymous_refusal(reader, request, body).await;
                let absent = hub.anonymous_refusal(reader, &absent.0, &absent.1).await;
                let differs = hidden.0 == 404 && hidden != absent;
                compared += usize::from(hidden.0 == 404);
                hub.record(&format!("{request} {body} by {reader}"), differs.then(|| format!("{hidden:?} {absent:?}")));
            }
        }
    }
    assert!(compared > 100, "only {compared} refusals were compared");
}

/// Replaces the ids of private data by unknown ones.
pub(crate) fn absent_for(text: &str) -> String {
    let ids = [
        ("$secret_thread", "thr_absent"),
        ("$secret_artifact", "art_absent"),
        ("$secret_reply", "msg_absent"),
        ("$secret_answer", "msg_absent"),
        ("$secret_question", "msg_absent"),
        ("$secret_run", "run_absent"),
        ("$secret", "msg_absent"),
        ("$whisper", "msg_absent"),
        ("$private", "chn_absent"),
        ("$own_dm", "dm_absent"),
        ("$dm", "dm_absent"),
        ("$x_project", "prj_absent"),
        ("$robot", "agt_absent"),
    ];
    ids.iter().fold(text.to_owned(), |text, (label, id)| text.replace(label, id))
}
