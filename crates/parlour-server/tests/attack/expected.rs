//! What a table says of an answer: `422 I02 context.task_id`.

use crate::support::Reply;

/// Bytes of a problem document: no answer grows with a hostile request.
const PROBLEM_BYTES_MAX: usize = 4_096;

/// The status, the code and the field of a refusal.
#[derive(Debug, PartialEq, Eq)]
pub struct Expected<'table> {
    status: u16,
    code: &'table str,
    field: Option<&'table str>,
}

impl<'table> Expected<'table> {
    /// Reads one cell of a table; without a third word no field may be named.
    pub fn read(cell: &'table str) -> Self {
        let mut words = cell.splitn(3, ' ');
        let status = words.next().and_then(|word| word.parse().ok());
        let code = words.next().expect("a code");
        Self { status: status.expect("a status"), code, field: words.next() }
    }

    /// Checks an answer, `why` names the case.
    pub fn check(&self, why: &str, reply: &Reply) {
        check_problem(why, reply);
        let problem = reply.json();
        let code = problem["code"].as_str().and_then(|code| code.strip_prefix("PARLOUR-")).unwrap_or_default();
        let found = Expected { status: reply.status.as_u16(), code, field: problem["field"].as_str() };
        assert_eq!(&found, self, "{why}: {problem}");
    }
}

/// Checks that a refusal is a whole problem document and no fault, whatever it says.
pub fn check_problem(why: &str, reply: &Reply) {
    let status = reply.status;
    assert!(status.is_client_error(), "{why}: {status} {:?}", String::from_utf8_lossy(&reply.bytes));
    assert_eq!(reply.header("content-type"), "application/problem+json", "{why}: {reply:?}");
    assert_eq!(reply.header("x-content-type-options"), "nosniff", "{why}");
    assert!(reply.bytes.len() <= PROBLEM_BYTES_MAX, "{why}: an answer of {} bytes", reply.bytes.len());
    let problem = reply.json();
    assert_eq!(problem["status"], status.as_u16(), "{why}");
    let code = problem["code"].as_str().unwrap_or_default();
    assert_eq!(problem["type"], format!("/errors/{code}"), "{why}");
    assert_eq!(problem["request_id"], reply.header("x-request-id"), "{why}");
    assert!(problem["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{why}: {problem}");
}
