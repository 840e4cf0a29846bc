//! Words in common with what is asked, weighed by how rare they are, and carried along the conversation.

use super::{
    asked::Asked,
    carry::{Carrier, spread},
    constants::{Constants, Reach},
    lines::Lines,
    look::{Found, Looked},
    more::more,
};
use crate::candidate::Candidate;

/// Words beyond these, the rarest first, change nothing that can be seen, and cost time.
const TERMS_MAX: usize = 32;

/// What the words say of each candidate; `neighbours` is how much of it is carried along the conversation.
pub(super) fn scores(asked: &Asked<'_>, candidates: &[Candidate], neighbours: f32, constants: &Constants) -> Vec<f32> {
    let lines = Lines::of(candidates);
    let looked = Looked::of(candidates, &lines, constants);
    let carries = neighbours > 0.0;
    let mut carrier = carries.then(|| {
        let with_decays = |reach: &Reach| {
            let weight = reach.weight * neighbours;
            (Reach { weight, ..reach.clone() }, lines.decays(reach.decay))
        };
        Carrier::new([with_decays(&constants.near), with_decays(&constants.wide)])
    });
    let mut add = |found: &[Found], along: &mut [f32]| {
        for word in found {
            word.places.iter().for_each(|(at, value)| along[*at as usize] += word.weight * value);
        }
        if let Some(carrier) = &mut carrier {
            carrier.carry(found, along);
        }
    };
    let broad = |usual: f32, more: f32| usual + if asked.is_broad { more } else { 0.0 };
    let mut along = vec![0.0; candidates.len()];
    let found = looked.look(&asked.terms, TERMS_MAX);
    if found.is_empty() {
        return along;
    }
    add(&found, &mut along);
    let more = more(asked, &looked, &along, broad(constants.more, constants.more_broad));
    add(&more, &mut along);
    lift_whole(&mut along, &found, constants.whole);
    if carries {
        let share = broad(constants.passage, constants.passage_broad) * neighbours;
        spread(&mut along, &lines.decays(constants.passage_decay), share);
    }
    let mut scores = vec![0.0; candidates.len()];
    for (at, place) in lines.order.iter().enumerate() {
        scores[*place] = along[at];
    }
    scores
}

/// What holds more of the words that are looked for counts more.
fn lift_whole(along: &mut [f32], found: &[Found], most: f32) {
    let all: f32 = found.iter().map(|word| word.weight).sum();
    let mut held = vec![0.0; along.len()];
    for word in found {
        word.places.iter().for_each(|(at, _)| held[*at as usize] += word.weight);
    }
    along.iter_mut().zip(held).for_each(|(score, held)| *score *= 1.0 + most * held / all);
}
