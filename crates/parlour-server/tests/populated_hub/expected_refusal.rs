//! An expected refusal in table form: `422 I02 context.task_id`.

use crate::support::Reply;

/// The size of a problem document does not grow with a hostile request.
const PROBLEM_BYTES_MAX: usize = 4_096;

/// The status, the code and the field of a refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ExpectedRefusal<'table> {
    status: u16,
    code: &'table str,
    field: Option<&'table str>,
}

impl<'table> ExpectedRefusal<'table> {
    /// Parses one cell of a table; without a third word the refusal must have no field.
    pub(crate) fn read(cell: &'table str) -> Self {
        let mut words = cell.splitn(3, ' ');
        let status = words.next().and_then(|word| word.parse().ok());
        let code = words.next().expect("a code");
        // A name that is empty is written as two quotation marks.
        let field = words.next().map(|field| field.trim_matches('"'));
        Self { status: status.expect("a status"), code, field }
    }

    /// Describes how a response differs from this refusal.
    pub(crate) fn finding(&self, reply: &Reply) -> Option<String> {
        let found = problem_finding(reply);
        if found.is_some() {
            return found;
        }
        let problem = reply.json();
        let code = problem["code"].as_str().and_then(|code| code.strip_prefix("PARLOUR-")).unwrap_or_default();
        let found = ExpectedRefusal { status: reply.status.as_u16(), code, field: problem["field"].as_str() };
        (found != *self).then(|| format!("{found:?} instead of {self:?}: {}", problem["detail"]))
    }
}

/// Describes why a response is not a complete problem document of a refusal.
pub(crate) fn problem_finding(reply: &Reply) -> Option<String> {
    let text = String::from_utf8_lossy(&reply.bytes);
    if !reply.status.is_client_error() || reply.header("content-type") != "application/problem+json" {
        return Some(format!("no refusal, but {} {text}", reply.status));
    }
    let problem = reply.json();
    let code = problem["code"].as_str().unwrap_or_default();
    let claims = [
        ("a short answer", reply.bytes.len() <= PROBLEM_BYTES_MAX),
        ("a status as in the document", problem["status"] == reply.status.as_u16()),
        ("a page for the code", problem["type"] == format!("/errors/{code}")),
        ("the id of the request", problem["request_id"] == reply.header("x-request-id")),
        ("a detail", problem["detail"].as_str().is_some_and(|detail| !detail.is_empty())),
        ("a closed type", reply.header("x-content-type-options") == "nosniff"),
    ];
    let broken = claims.iter().find(|(_, holds)| !holds)?;
    Some(format!("without {}: {text}", broken.0))
}
