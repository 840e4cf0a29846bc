//! Writes HTTP requests as bytes, at low cost: the load generator shares the machine with the measured server.

use std::io::Write as _;

/// Appends a GET request.
pub(super) fn write_get(out: &mut Vec<u8>, path: &str, token: Option<&str>) {
    write_head(out, "GET", path, token);
    out.extend_from_slice(b"\r\n");
}

/// Appends a POST request with a JSON body.
pub(super) fn write_post(out: &mut Vec<u8>, path: &str, token: Option<&str>, body: &[u8]) {
    write_head(out, "POST", path, token);
    write!(out, "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len())
        .expect("a vector takes everything");
    out.extend_from_slice(body);
}

fn write_head(out: &mut Vec<u8>, method: &str, path: &str, token: Option<&str>) {
    write!(out, "{method} {path} HTTP/1.1\r\nHost: localhost\r\n").expect("a vector takes everything");
    if let Some(token) = token {
        write!(out, "Authorization: Bearer {token}\r\n").expect("a vector takes everything");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_get_request_has_only_a_head() {
        let mut out = Vec::new();
        write_get(&mut out, "/ready", None);
        assert_eq!(out, b"GET /ready HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }

    #[test]
    fn a_post_request_has_token_and_content_length() {
        let mut out = Vec::new();
        write_post(&mut out, "/messages", Some("secret"), b"{}");
        let expected = "POST /messages HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n\
                        Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(String::from_utf8_lossy(&out), expected);
    }
}
