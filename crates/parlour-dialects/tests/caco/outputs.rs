use parlour_core::{Code, limits};
use parlour_dialects::caco::{
    ImageData, OutputFile, OutputPart, output_marker, output_parts, parse_image_data, parse_output_file,
    parse_output_name,
};
use proptest::prelude::*;

use OutputPart::{Output, Text};

#[test]
fn a_text_is_split_at_its_markers() {
    assert_eq!(output_parts(""), []);
    assert_eq!(output_parts("Hello"), [Text("Hello")]);
    assert_eq!(output_parts("[output:out_1_abc]"), [Output("out_1_abc")]);
    assert_eq!(output_parts("a [output:x] b"), [Text("a "), Output("x"), Text(" b")]);
    assert_eq!(output_parts("[output:x][output:y-2]"), [Output("x"), Output("y-2")]);
}

#[test]
fn an_incomplete_marker_stays_text() {
    for text in ["[output:]", "[output:a b]", "[output:../etc]", "[output:x", "[Output:x]", "[ output:x]", "[output:é]"]
    {
        assert_eq!(output_parts(text), [Text(text)]);
    }
    assert_eq!(output_parts("[output:[output:x]"), [Text("[output:"), Output("x")]);
    assert_eq!(output_parts("[output:a[output:x]"), [Text("[output:a"), Output("x")]);
}

#[test]
fn an_output_id_contains_its_time() {
    let name = parse_output_name("out_1769478150769_pyjitg").expect("a name");
    assert_eq!((name.made_at_ms, name.tail), (1_769_478_150_769, "pyjitg"));
    for text in [
        "",
        "out_1_abc",
        "out_1_abcdefg",
        "out__abcdef",
        "out_1_ABCDEF",
        "out_-1_abcdef",
        "out_+1_abcdef",
        "out_1234567890123456_abcdef",
        "out_1_abcde/",
        "x_1_abcdef",
        "out_1_abcdef ",
    ] {
        assert_eq!(parse_output_name(text), None, "{text:?}");
    }
}

#[test]
fn an_output_file_name_contains_id_and_type() {
    for (extension, file) in [
        ("meta.json", OutputFile::Metadata),
        ("json", OutputFile::Json),
        ("b64", OutputFile::Base64),
        ("txt", OutputFile::Text),
    ] {
        let file_name = format!("out_1_abc123.{extension}");
        let (name, found) = parse_output_file(&file_name).expect("a file");
        assert_eq!((name.name, found), ("out_1_abc123", file));
    }
    for file_name in
        ["out_1_abc123", "out_1_abc123.html", "../out_1_abc123.json", "out_1_abc123.json/..", ".json", "meta.json"]
    {
        assert_eq!(parse_output_file(file_name), None, "{file_name:?}");
    }
}

#[test]
fn an_image_is_read_without_decoding_it() {
    let image = parse_image_data("data:image/png;base64,aGVsbG8=").expect("an image");
    assert_eq!(image, ImageData { media_type: "image/png", base64: "aGVsbG8=", bytes_len: 5 });
    assert_eq!(parse_image_data("data:image/svg+xml;base64,aGVs").expect("an image").bytes_len, 3);
    assert_eq!(parse_image_data("data:image/webp;base64,aA==").expect("an image").bytes_len, 1);
}

#[test]
fn a_value_that_is_not_an_image_is_refused() {
    for address in [
        "",
        "hello",
        "data:text/html;base64,aGVs",
        "data:image/;base64,aGVs",
        "data:image/png,aGVs",
        "data:image/png;base64",
        "data:image/png;base64,",
        "data:image/png;charset=x;base64,aGVs",
        "data:image/png;base64,aGV",
        "data:image/png;base64,aG=s",
        "data:image/png;base64,a===",
        "data:image/png;base64,====",
        "data:image/png;base64,aGV=",
        "data:image/png;base64,aGV\n",
        "data:image/png;base64,aG-_",
        "data:image/p\"ng;base64,aGVs",
        "DATA:image/png;base64,aGVs",
    ] {
        assert_eq!(parse_image_data(address).expect_err(address).code, Code::WrongShape);
    }
}

#[test]
fn an_image_has_a_limit() {
    let image = |bytes: usize| format!("data:image/png;base64,{}", "AAAA".repeat(bytes / 3));
    let most = limits::IMAGE_DATA_BYTES_MAX / 3 * 3;
    assert_eq!(parse_image_data(&image(most)).expect("just fits").bytes_len, most);
    assert_eq!(parse_image_data(&image(most + 3)).expect_err("too large").code, Code::OutOfBounds);
}

proptest! {
    #[test]
    fn the_parts_of_a_text_are_the_whole_text(text in "(\\[output:|\\]|[a-z]|é|\\[|out_1_abcdef){0,20}") {
        let parts = output_parts(&text);
        let again: String = parts.iter().map(|part| match part {
            Text(text) => (*text).to_owned(),
            Output(id) => output_marker(id),
        }).collect();
        prop_assert_eq!(&again, &text);
        prop_assert!(parts.iter().all(|part| !matches!(part, Text("") | Output(""))));
        prop_assert!(parts.windows(2).all(|pair| !matches!(pair, [Text(_), Text(_)])));
    }

    #[test]
    fn a_marker_is_found_in_any_text(before in "[a-z \n]{0,20}", id in "[a-zA-Z0-9_-]{1,30}", after in "[a-z \n]{0,20}") {
        let text = [&before, &output_marker(&id), &after].map(String::as_str).concat();
        prop_assert!(output_parts(&text).contains(&Output(&id)));
    }
}
