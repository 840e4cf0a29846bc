use regex::Regex;

use super::*;

/// Every ordinary way to write an image, and what is left of it.
const IMAGES: &[(&str, &str)] = &[
    ("![a cat](https://x.dev/c.png)", "[image: a cat]"),
    ("![a cat](https://x.dev/c.png \"t\") here", "[image: a cat] here"),
    ("![a [b] c](https://x.dev/c.png)", "[image: a [b] c]"),
    ("![a\\]b](https://x.dev/c.png)", "[image: a\\]b]"),
    ("![short]\n\n[short]: https://x.dev/c.png", "[image: short]"),
    ("![coll][]\n\n[coll]: https://x.dev/c.png", "[image: coll]"),
    ("![logo][L  l]\n\n[l L]: https://x.dev/c.png", "[image: logo]"),
    ("![b][c]", "[image: b]"),
    ("![two\nlines](https://x.dev/c.png)", "[image: two\nlines]"),
    ("![sp]( https://x.dev/c.png )", "[image: sp]"),
    ("![nl](\nhttps://x.dev/c.png)", "[image: nl]"),
    ("![ang](<https://x.dev/a b.png>)", "[image: ang]"),
    ("![t](https://x.dev/c.png (a title))", "[image: t]"),
    ("![p](https://x.dev/c_(1).png)", "[image: p]"),
    ("![](https://x.dev/c.png)", "[image]"),
    ("![a](one) ![b](two)", "[image: a] [image: b]"),
    ("[![badge](https://x.dev/b.svg)](https://ci.dev)", "[[image: badge]](https://ci.dev)"),
    ("![a [b](https://x.dev)", "! [a [b](https://x.dev)"),
    ("![a](https://x.dev/a b c)", "! [a](https://x.dev/a b c)"),
    ("<img src='x' alt=\"a dog\">", "[image: a dog]"),
    ("<IMG\nSRC=https://x.dev/c.png>", "[image]"),
    ("<img src=\"a>b\" onerror=x> c", "[image] c"),
    ("<picture><source srcset=\"https://x.dev/p.png\"></picture>", "[image]"),
    ("<picture><source srcset='https://x.dev/p'><img src=x alt='hut'></picture>", "[image: hut]"),
    ("<source srcset=\"https://x.dev/p.png\">", "[image]"),
    ("<svg><image href=\"https://x.dev/s.png\"/></svg>", "[image]"),
    ("<svg width=1><image href=\"https://x.dev/s.png\"/>", "[image][image]"),
    ("<img src=https://x.dev/unclosed.png", "[image]"),
    ("<img src=https://x.dev/unclosed.png\nand on", "[image]\nand on"),
    ("<img src=https://x.dev/u.png it stays", "[image] it stays"),
    ("<img src=\"https://x.dev/u.png>", "[image]"),
    ("<video poster='https://x.dev/v.png'>", "[image]"),
];

/// What looks like an image and is none.
const NO_IMAGES: &[&str] = &[
    "let a = vec![1, 2]; b(c)",
    "vec![a][0]",
    "Hello! [a](https://x.dev)",
    "Vec<Image> <source> <dest> List<object>",
    "look at <img there",
    "!important [x]",
];

/// Every ordinary way to write a link, with a sign where it has a number.
const LINKS: &[&str] = &[
    "[t](https://e§.test)",
    "[t](<https://e§.test/a b>)",
    "[t]( https://e§.test \"title\" )",
    "[t](https://e§.test (title))",
    "[t](//e§.test)",
    "[t](mailto:x§@y.z)",
    "[t](javascript:alert(§))",
    "[t](evil§.test)",
    "[t](page§.html)",
    "[t](#part-§)",
    "<https://e§.test>",
    "<mailto:x§@y.z>",
    "<a href=\"https://e§.test\">t</a>",
    "<a href=page§.html>t</a>",
    "https://e§.test/p",
    "http://[::§]/p",
    "hxxp://e§.test",
    "sftp://e§.test",
    "ssh://e§.test",
    "git://e§.test",
    "file:///etc/passwd§",
    "tel:+4712345§",
    "www.e§.test",
    "//e§.test/x",
    "//e§.test",
];

fn five(link: &str) -> String {
    (1..=5).map(|number| link.replace('§', &number.to_string()) + "\n").collect()
}

#[test]
fn images_become_their_description_in_every_syntax() {
    for (text, shown) in IMAGES {
        assert_eq!(view(text).trim_end(), *shown, "{text}");
        assert!(!View::of(text).is_cut, "{text}");
    }
    for text in NO_IMAGES {
        assert_eq!(view(text), *text);
    }
}

#[test]
fn an_image_keeps_the_redaction_mark_of_its_description() {
    for text in ["![of [mail 1] there](https://x.dev)", "so![mail 1](https://x.dev)"] {
        let at = text.find("[mail").expect("there");
        let short = shorten(text, vec![Mark { kind: "mail".into(), range: at..at + 8 }], 0);
        assert_eq!(short.marks.len(), 1, "{}", short.text);
        assert_eq!(&short.text[short.marks[0].range.clone()], "[mail 1]");
        assert!(!short.text.contains("!["), "{}", short.text);
    }
}

#[test]
fn the_first_three_links_stay_in_every_syntax() {
    for link in LINKS {
        let (text, all) = (five(link), View::of(&five(link)));
        let lines: Vec<(&str, &str)> = text.lines().zip(all.text.lines()).collect();
        assert_eq!(lines.len(), 5, "{}", all.text);
        assert!(lines[..3].iter().all(|(before, after)| before == after), "{}", all.text);
        assert!(
            lines[3..].iter().all(|(_, after)| matches!(*after, "[t]" | "[more links]" | "<a>t</a>")),
            "{}",
            all.text
        );
        assert!(all.is_cut);
    }
}

#[test]
fn code_is_not_taken_for_links() {
    for text in [
        "a[0](event) b[1](event) c[2](event) d[3](event) x[i][j] y[i][j] z[i][j] w[i][j]",
        "f[0](a.b) f[1](a.b) f[2](a.b) f[3](a.b) [](auto x) [&](int y) [this](auto z) [=](auto w)",
        "//console.log(a)\n//console.log(b)\n//console.log(c)\n//console.log(d)\n// a.b\n//later c",
        "Vec<std::string> A<std::string> B<std::string> C<std::string>",
        "a: b\nc: d\n[12:03]: hello you\n[x] [ ] [^1]\n\n[^1]: a note",
    ] {
        assert_eq!(view(text), text);
    }
}

#[test]
fn a_reference_link_counts_once_and_keeps_its_address() {
    let definitions = |numbers: std::ops::RangeInclusive<u8>| {
        numbers.map(|number| format!("\n[r{number}]: https://ref{number}.test/")).collect::<String>()
    };
    let rest = "\n[more links]".repeat(3);
    let full: String = (1..=6).map(|number| format!("[t{number}][r{number}] ")).collect();
    let shown = format!("[t1][r1] [t2][r2] [t3][r3] [t4] [t5] [t6] \n{}{rest}", definitions(1..=3));
    assert_eq!(view(&format!("{full}\n{}", definitions(1..=6))), shown);
    let short: String = (1..=6).map(|number| format!("[r{number}] ")).collect();
    let shown = format!("[r1] [r2] [r3] r4 r5 r6 \n{}{rest}", definitions(1..=3));
    assert_eq!(view(&format!("{short}\n{}", definitions(1..=6))), shown);
    let before = format!("{}\n\n{}", definitions(1..=6).trim_start(), full.trim_end());
    let shown = format!("{}{rest}\n\n[t1][r1] [t2][r2] [t3][r3] [t4] [t5] [t6]", definitions(1..=3).trim_start());
    assert_eq!(view(&before), shown);
}

#[test]
fn definitions_are_found_anywhere() {
    let next_line: String = (1..=5).map(|number| format!("[r{number}]:\n  https://ref{number}.test/\n")).collect();
    assert_eq!(view(&next_line).matches("https://").count(), 3, "{}", view(&next_line));
    let quoted: String = (1..=5).map(|number| format!("> [q{number}]: https://q{number}.test\n")).collect();
    assert_eq!(view(&quoted).matches("https://").count(), 3, "{}", view(&quoted));
    let same = "[a][r] [b][r] [c][r] [d][r] [r]\n\n[r]: https://r.dev 'title'";
    assert_eq!(view(same), "[a][r] [b][r] [c][r] [d] r\n\n[r]: https://r.dev 'title'");
}

#[test]
fn only_the_first_links_keep_their_address() {
    let text = "[a](https://a.dev) <https://b.dev> https://c.dev [d](https://d.dev) https://e.dev\n\n[f][g]\n\n[g]: https://g.dev";
    assert_eq!(view(text), "[a](https://a.dev) <https://b.dev> https://c.dev [d] [more links]\n\n[f]\n\n[more links]");
}

#[test]
fn unclosed_brackets_and_tags_stay_within_the_limit() {
    let pieces = [
        "![",
        "[",
        "](",
        "![a](",
        "](a \"",
        "](<",
        "](a (",
        "[a][",
        "![a]",
        "<img a=\"",
        "<img a=",
        "<svg>",
        "<picture>",
        "<a href='",
        "[a]: b.c\n",
        "[a]:",
        "//",
        "://",
        "a://b ",
        "\\[",
        "www.",
        "<a:",
        "![a][a]\n[a]: b.c\n",
        "[![a](b)](c.d)",
    ];
    for piece in pieces {
        let text = piece.repeat(100_000 / piece.len());
        assert!(shorten(&text, Vec::new(), 0).text.chars().count() <= limits::CONTEXT_ITEM_CHARS_MAX, "{piece}");
    }
    assert!(View::of(&"![".repeat(100_000)).is_cut);
}

#[test]
fn text_that_looks_like_a_url_hides_no_link() {
    let hidden = ["a//i.j/khttp://a.b/c", "//note,//a.b/c", "//see?https://a.b/c", "x//y//z/,//a.b/c"];
    for text in hidden {
        let shown = view(&format!("https://a.dev https://b.dev https://c.dev {text}"));
        assert!(shown.contains("[more links]") && !shown.contains("a.b"), "{text}: {shown}");
    }
    assert_eq!(
        view(&format!("{} // see foo.bar;\n//foo.bar(x)", "https://a.dev ".repeat(3))).matches("more").count(),
        0
    );
}

proptest! {
    #[test]
    fn no_image_url_is_left(text in hostile()) {
        let image = Regex::new(r#"!\[[^\]]*\]\(|(?i)<(img|source)\b[^<>]*="#).expect("a rule");
        let shown = view(&text);
        prop_assert!(!image.is_match(&shown), "{:?} -> {:?}", text, shown);
    }

    #[test]
    fn at_most_three_urls_are_left(text in hostile()) {
        let address = Regex::new(r#"[a-z]{2,}://(?:[^\s<>"'`\[\]()]|\[mail 1\])+"#).expect("a rule");
        let shown = view(&text);
        prop_assert!(address.find_iter(&shown).count() <= limits::CONTEXT_LINKS_MAX, "{:?} -> {:?}", text, shown);
    }
}
