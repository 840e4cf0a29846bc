//! Where code lives and packages come from, and where teams talk.

use super::super::{
    check,
    rule::{Rule, rule, token},
};

pub(super) const RULES: &[Rule] = &[
    token("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_[A-Za-z0-9_]{12,255}")
        .checked(check::is_mixed),
    token("github-token", &["github_pat_"], r"\bgithub_pat_[A-Za-z0-9_]{30,255}"),
    token(
        "gitlab-token",
        &[
            "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-",
            "glffct-", "glwt-",
        ],
        r"\bgl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|oas|soat|ffct|wt)-[A-Za-z0-9_.=-]{18,}",
    ),
    token("gitlab-token", &["gr1348941"], r"\bGR1348941[A-Za-z0-9_-]{20,}"),
    token("gitlab-token", &["_gitlab_session="], r"_gitlab_session=([0-9a-f]{32})\b"),
    token("bitbucket-token", &["atbb", "atctt"], r"\b(?:ATBB[A-Za-z0-9]{28,}|ATCTT3[A-Za-z0-9_=-]{40,})"),
    token("atlassian-token", &["atatt3"], r"\bATATT3[A-Za-z0-9_=+/-]{30,}"),
    token("npm-token", &["npm_"], r"\bnpm_[A-Za-z0-9]{36}\b"),
    token("pypi-token", &["pypi-"], r"\bpypi-[A-Za-z0-9_-]{32,}"),
    token("rubygems-key", &["rubygems_"], r"\brubygems_[a-f0-9]{48}\b"),
    token("crates-token", &["cio"], r"\bcio[A-Za-z0-9]{32}\b").long(35),
    token("clojars-token", &["clojars_"], r"(?i)\bCLOJARS_[a-z0-9]{60}\b"),
    token("nuget-key", &["oy2"], r"\boy2[a-z0-9]{43}\b"),
    token("jfrog-key", &["akcp", "cmvmd"], r"\b(?:AKCp[A-Za-z0-9]{60,}|cmVmd[A-Za-z0-9]{55,})"),
    token("sonar-token", &["sqp_", "sqa_", "squ_"], r"\bsq[pau]_[a-f0-9]{40}\b"),
    token("buildkite-token", &["bkua_", "bkaj_"], r"\bbk(?:ua|aj)_[A-Za-z0-9]{30,}"),
    token("circleci-token", &["ccipat_", "ccipart_"], r"(?i)\bccip(?:at|rj|art)_[A-Za-z0-9_]{20,}"),
    token(
        "slack-token",
        &["xoxa", "xoxb", "xoxc", "xoxd", "xoxe", "xoxo", "xoxp", "xoxr", "xoxs"],
        r"\bxox[abcdeoprs](?:\.xox[bp])?-[A-Za-z0-9%/+=_-]{10,}",
    ),
    token("slack-token", &["xapp-", "xwfp-"], r"\b(?:xapp|xwfp)-[A-Za-z0-9-]{14,}"),
    token(
        "webhook",
        &["hooks.slack"],
        r"https?://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/+_-]{20,}",
    ),
    token(
        "webhook",
        &["/api/webhooks/"],
        r"https?://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d{15,22}/[A-Za-z0-9_-]{20,}",
    ),
    token(
        "webhook",
        &["webhook.office", "logic.azure"],
        r"https?://[A-Za-z0-9.-]+\.(?:webhook\.office|logic\.azure)\.com(?::\d+)?/[^\s<>]{30,}",
    ),
    token(
        "webhook",
        &["hooks.zapier", "hook.", "chat.googleapis"],
        r#"https?://(?:hooks\.zapier\.com/hooks/catch/[A-Za-z0-9/]{8,}|hook\.(?:[a-z0-9]+\.)?make\.com/[a-z0-9]{20,}|chat\.googleapis\.com/v1/spaces/[^\s"'<>]*[?&](?:key|token)=[^\s"'<>]+)"#,
    ),
    token("discord-token", &["mfa."], r"\bmfa\.[A-Za-z0-9_-]{80,}"),
    rule(
        "discord-token",
        &["."],
        r"(?:^|[^A-Za-z0-9_-])([MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})",
    )
    .long(58)
    .checked(check::is_discord),
    rule("telegram-token", &[":aa"], r"(?:^|[^A-Za-z0-9])(?:bot)?(\d{8,10}:AA[A-Za-z0-9_-]{32,34})"),
    token("figma-token", &["figd_", "figu_", "figo_"], r"\bfig[duo]_[A-Za-z0-9_-]{30,}"),
    token("notion-token", &["ntn_"], r"\bntn_[A-Za-z0-9]{30,}"),
    token("notion-token", &["secret_"], r"\bsecret_[A-Za-z0-9]{43}\b"),
    token("linear-key", &["lin_api_", "lin_oauth_"], r"\blin_(?:api|oauth|wh)_[A-Za-z0-9]{32,}"),
    token("airtable-token", &["pat"], r"\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}\b").long(82),
    rule("airtable-token", &["airtable"], r"(?i)airtable[^\n]{0,40}?\b(key[A-Za-z0-9]{14})\b"),
    token("asana-token", &["1/", "2/"], r"\b[12]/\d{12,17}(?:/\d{12,17})?:[a-f0-9]{32}\b"),
    token("clickup-token", &["pk_"], r"\bpk_\d{6,9}_[A-Z0-9]{32}\b"),
    token("dropbox-token", &["sl."], r"\bsl\.(?:u\.)?[A-Za-z0-9_-]{60,}"),
    token("contentful-token", &["cfpat-"], r"\bCFPAT-[A-Za-z0-9_-]{43}"),
    token("typeform-token", &["tfp_"], r"\btfp_[A-Za-z0-9_.=-]{40,}"),
    token("readme-token", &["rdme_"], r"\brdme_[a-z0-9]{70}\b"),
    token("zoom-token", &["zoom"], r"https?://[A-Za-z0-9.-]*zoom\.us/[^\s]*[?&](?:pwd|tk)=([A-Za-z0-9._-]{6,})"),
    token("facebook-token", &["eaac", "eaab", "eaaa", "eaag"], r"\bEAA[A-Za-z0-9]{30,}"),
    rule(
        "facebook-token",
        &["facebook", "fb_app", "fb app"],
        r"(?i)(?:facebook|\bfb)[^\n]{0,30}(?:secret|token)[^\n]{0,10}?\b([a-f0-9]{32})\b",
    ),
    token("twitter-token", &["aaaaaaaaaaaa"], r"\bA{20,22}[A-Za-z0-9%]{60,}"),
    token(
        "linkedin-token",
        &["wpl_ap", "aqx", "aqv"],
        r"\b(?:WPL_AP\d\.[A-Za-z0-9.=+/]{16,}|AQ[XV][A-Za-z0-9_-]{80,})",
    ),
    token("parlour-token", &["parlour_"], r"\bparlour_(?:ses_|lnk_|inv_)?[a-f0-9]{64}\b"),
];
