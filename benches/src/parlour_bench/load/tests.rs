use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
};

use super::*;

/// A server that sends the same response to every request until its clients close.
fn echo(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("listen");
    let address = listener.local_addr().expect("address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer_all(&stream, answer));
        }
    });
    address
}

fn answer_all(mut stream: &TcpStream, answer: &str) {
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if line.is_empty() && stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn scripts(count: usize) -> Vec<Script> {
    let script = || -> Script { Box::new(|out| super::super::request::write_get(out, "/", None)) };
    (0..count).map(|_| script()).collect()
}

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn a_round_sends_exactly_its_number_of_requests() {
    let mut senders = scripts(3);
    let round = run(echo(OK), &mut senders, Extent::count(50)).await.expect("a round");
    assert_eq!((round.count(), senders.len()), (50, 3));
    assert!(round.latencies.is_sorted() && round.per_second() > Some(0.0));
}

#[tokio::test]
async fn a_round_without_time_sends_nothing() {
    let round = run(echo(OK), &mut scripts(2), Extent::time(Duration::ZERO)).await.expect("a round");
    assert_eq!((round.count(), round.latency_millis(0.5)), (0, None));
}

#[tokio::test]
async fn a_refusal_ends_the_round() {
    let refusing = echo("HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n");
    let error = run(refusing, &mut scripts(2), Extent::count(9)).await.expect_err("a refusal");
    assert!(error.to_string().contains("429"), "{error}");
}

#[test]
fn the_shares_of_all_rounds_cover_the_total() {
    let part = Extent::count(50).split(3);
    assert_eq!(part.count_max, 17);
    assert_eq!(Extent::time(Duration::from_secs(5)).split(5).time_max, Duration::from_secs(1));
    assert_eq!(Extent::count(5).split(0).count_max, 5);
}

#[test]
fn combined_rounds_are_summed_and_sorted() {
    let round = |millis: &[u64], cpu| Round {
        elapsed: Duration::from_secs(1),
        cpu,
        latencies: millis.iter().copied().map(Duration::from_millis).collect(),
    };
    let cpu = Some(Duration::from_millis(3));
    let both = Round::join(&[round(&[2, 9], cpu), round(&[1, 3], cpu)]);
    assert_eq!((both.count(), both.per_second()), (4, Some(2.0)));
    assert_eq!(both.cpu_micros(), Some(1_500.0));
    assert_eq!(both.latency_millis(1.0), Some(9.0));
    assert_eq!(Round::join(&[round(&[1], cpu), round(&[1], None)]).cpu, None, "half a measure is none");
}
