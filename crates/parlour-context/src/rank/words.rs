//! Words in common with what is asked, weighed by how rare they are, and carried along the conversation.

use super::{
    asked::Asked,
    carry::{Carrier, spread},
    constants::{Constants, Reach},
    lines::Lines,
    look::{Found, Looked},
    more::more,
};

/// Words beyond these, the rarest first, change nothing that can be seen, and cost time.
const TERMS_MAX: usize = 32;

/// What the words say of each candidate, in the order of the lines; `neighbours` is how much of it is carried along.
pub(super) fn scores(
    asked: &Asked<'_>,
    lines: &Lines,
    looked: &Looked<'_>,
    neighbours: f32,
    constants: &Constants,
) -> Vec<f32> {
    let pace = looked.pace;
    let mut along = vec![0.0; looked.texts.len()];
    let found = looked.look(&asked.terms, TERMS_MAX);
    if found.is_empty() {
        return along;
    }
    let mut carrier = (neighbours > 0.0).then(|| {
        let with_decays = |reach: &Reach, decay: f32| {
            let weight = reach.weight * neighbours;
            (Reach { weight, ..reach.clone() }, lines.decays(decay))
        };
        let Constants { near, wide, .. } = constants;
        Carrier::new([with_decays(near, near.decay), with_decays(wide, pace.decay(wide.decay))])
    });
    let mut add = |found: &[Found], along: &mut [f32]| {
        for word in found {
            word.places.iter().for_each(|(at, value)| along[*at as usize] += word.weight * value);
        }
        if let Some(carrier) = &mut carrier {
            carrier.carry(found, along);
        }
    };
    add(&found, &mut along);
    let more = more(asked, looked, &along, pace.between(constants.more, constants.more_uneven));
    add(&more, &mut along);
    let share = constants.passage_uneven * pace.uneven * neighbours;
    if share > 0.0 {
        spread(&mut along, &lines.decays(constants.passage_decay), share);
    }
    along
}
