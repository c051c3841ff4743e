//! HTTP itself: what clients may send, and what is kept of it.

use super::super::{Provider, Reply};
use super::{CHAT, Client, MESSAGES, answered, small};
use serde_json::{Value, json};

#[test]
fn a_request_is_recorded_with_its_query_headers_and_exact_bytes() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let body = "{ \"model\":\"m\",\"max_tokens\":1, \"messages\":[{\"role\":\"user\",\"content\":\"x\"}] }";
    let head = format!(
        "POST /v1/messages?beta=true HTTP/1.1\r\nX-Api-Key: secret\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    client.send(format!("{head}{body}").as_bytes());
    assert_eq!(client.response().unwrap().code, 200);
    let request = provider.requests().remove(0);
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", MESSAGES));
    assert_eq!(request.query.as_deref(), Some("beta=true"));
    assert_eq!(request.header("x-api-key"), Some("secret"));
    assert_eq!(request.headers[0], ("X-Api-Key".to_owned(), "secret".to_owned()));
    assert_eq!(request.body, body.as_bytes());
    assert_eq!(request.json["max_tokens"], 1);
}

#[test]
fn a_reset_forgets_requests_but_keeps_counting_them() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    client.post(CHAT, &small(CHAT, false));
    provider.reset_requests();
    assert!(provider.requests().is_empty());
    client.post(CHAT, &small(CHAT, false));
    assert_eq!(provider.requests()[0].order, 1);
}

#[test]
fn a_chunked_request_body_is_put_together() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let body = small(CHAT, false).to_string();
    let (one, two) = body.split_at(10);
    client.send(format!("POST {CHAT} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n").as_bytes());
    client.send(format!("a;name=value\r\n{one}\r\n{:X}\r\n{two}\r\n", two.len()).as_bytes());
    client.send(b"0\r\ntrailer: yes\r\n\r\n");
    assert_eq!(client.response().unwrap().code, 200);
    assert_eq!(provider.requests()[0].body, body.as_bytes());
    assert_eq!(
        client.post(CHAT, &small(CHAT, false)).code,
        200,
        "the next request begins in the right place"
    );
}

#[test]
fn a_client_that_asks_first_is_told_to_continue() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    let body = small(CHAT, false).to_string();
    let length = body.len();
    client.send(
        format!("POST {CHAT} HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: {length}\r\n\r\n")
            .as_bytes(),
    );
    assert_eq!(client.head().unwrap().0, 100);
    client.send(body.as_bytes());
    assert_eq!(client.response().unwrap().code, 200);
}

#[test]
fn a_connection_serves_requests_until_the_client_wants_it_closed() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    for stream in [true, false, true] {
        let response = client.post(CHAT, &small(CHAT, stream));
        assert_eq!(response.header("connection"), Some("keep-alive"));
    }
    client.send(b"GET /v1/models HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(client.response().unwrap().header("connection"), Some("close"));
    assert!(client.is_closed());
}

#[test]
fn an_old_client_gets_a_stream_that_ends_with_the_connection() {
    let provider = Provider::answering(vec![Reply::text("hello")]);
    let mut client = Client::connect(&provider);
    let body = small(CHAT, true).to_string();
    client.send(format!("POST {CHAT} HTTP/1.0\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    let response = client.response().unwrap();
    assert_eq!(response.header("transfer-encoding"), None);
    assert_eq!(answered(CHAT, true, &response), "hello");
}

#[test]
fn a_body_beyond_the_limit_is_refused_before_it_is_read() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let too_much = 64 * 1024 * 1024 + 1;
    let heads = [
        format!("Content-Length: {too_much}\r\nExpect: 100-continue\r\n\r\n"),
        format!("Transfer-Encoding: chunked\r\n\r\n{too_much:x}\r\nsome of it"),
        format!("Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n{:x}\r\n", u64::MAX),
    ];
    for head in heads {
        let mut client = Client::connect(&provider);
        client.send(format!("POST {MESSAGES} HTTP/1.1\r\n{head}").as_bytes());
        assert_eq!(client.response().unwrap().code, 413, "{head}");
        assert!(client.is_closed());
    }
    assert!(provider.requests().is_empty());
}

#[test]
fn what_is_not_http_gets_a_400() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let heads = [
        "hello\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
    ];
    for head in heads {
        let mut client = Client::connect(&provider);
        client.send(head.as_bytes());
        assert_eq!(client.response().unwrap().code, 400, "{head}");
    }
    let mut client = Client::connect(&provider);
    client.send(format!("GET / HTTP/1.1\r\nlong: {}\r\n\r\n", "x".repeat(200_000)).as_bytes());
    assert_eq!(client.response().unwrap().code, 431);
}

#[test]
fn a_body_that_is_not_json_is_recorded_and_refused() {
    let provider = Provider::answering(vec![Reply::text("ok")]);
    let mut client = Client::connect(&provider);
    client.send(format!("POST {MESSAGES} HTTP/1.1\r\nContent-Length: 3\r\n\r\n{{{{{{").as_bytes());
    assert_eq!(client.response().unwrap().code, 400);
    let request = provider.requests().remove(0);
    assert_eq!((request.body, request.json), (b"{{{".to_vec(), Value::Null));
}

#[test]
fn connections_are_served_at_the_same_time_and_the_script_is_asked_once_each() {
    let provider = Provider::start(|_: &_, index: usize| Reply::Json(json!(index)).held());
    let mut clients: Vec<Client> = (0..8).map(|_| Client::connect(&provider)).collect();
    for client in &mut clients {
        client.send_post(CHAT, &small(CHAT, true));
    }
    provider.wait_for_requests(8);
    clients.iter().for_each(|_| provider.release());
    let mut answers: Vec<String> = Vec::new();
    for client in &mut clients {
        answers.push(answered(CHAT, true, &client.response().unwrap()));
    }
    answers.sort();
    assert_eq!(answers, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}
