//! What messages say of those around them.
//!
//! Eight words are carried in one pass over the candidates: it is the same work as for one.

use super::{constants::Reach, look::Found};

/// Words that are carried together.
const LANES: usize = 8;

type Lanes = [f32; LANES];

/// Carries words along the lines, again and again with the same room for it.
pub(super) struct Carrier {
    /// How words are carried, with what is left of them on the way to each candidate from the one before it.
    reaches: [(Reach, Vec<f32>); 2],
    here: Vec<Lanes>,
    before: Vec<[Lanes; 2]>,
}

impl Carrier {
    pub(super) fn new(reaches: [(Reach, Vec<f32>); 2]) -> Self {
        let count = reaches[0].1.len();
        Self { reaches, here: vec![[0.0; LANES]; count], before: vec![[[0.0; LANES]; 2]; count] }
    }

    /// Adds what each candidate gets from those around it.
    pub(super) fn carry(&mut self, found: &[Found], along: &mut [f32]) {
        for words in found.chunks(LANES) {
            let mut weights = [0.0; LANES];
            for (lane, word) in words.iter().enumerate() {
                weights[lane] = word.weight;
                word.places.iter().for_each(|(at, value)| self.here[*at as usize][lane] = *value);
            }
            self.forward();
            self.backward(&weights, along);
            for (lane, word) in words.iter().enumerate() {
                word.places.iter().for_each(|(at, _)| self.here[*at as usize][lane] = 0.0);
            }
        }
    }

    fn forward(&mut self) {
        let [(near, near_decays), (wide, wide_decays)] = &self.reaches;
        let mut carried = [[0.0_f32; LANES]; 2];
        for (at, here) in self.here.iter().enumerate() {
            let (near_decay, wide_decay) = (near_decays[at], wide_decays[at]);
            for lane in 0..LANES {
                carried[0][lane] *= near_decay;
                carried[1][lane] *= wide_decay;
                self.before[at][0][lane] = carried[0][lane] * near.forward;
                self.before[at][1][lane] = carried[1][lane] * wide.forward;
                carried[0][lane] += here[lane];
                carried[1][lane] += here[lane];
            }
        }
    }

    fn backward(&self, weights: &Lanes, along: &mut [f32]) {
        let [(near, near_decays), (wide, wide_decays)] = &self.reaches;
        let (near_weight, wide_weight) = (near.weight * (1.0 + near.enough), wide.weight * (1.0 + wide.enough));
        let mut carried = [[0.0_f32; LANES]; 2];
        for (at, score) in along.iter_mut().enumerate().rev() {
            let (near_decay, wide_decay) = (near_decays[at], wide_decays[at]);
            let (here, before) = (&self.here[at], &self.before[at]);
            let mut says = [0.0_f32; LANES];
            for lane in 0..LANES {
                let (beside, around) = (before[0][lane] + carried[0][lane], before[1][lane] + carried[1][lane]);
                let beside = near_weight * beside / (beside + near.enough);
                says[lane] = weights[lane] * (beside + wide_weight * around / (around + wide.enough));
                carried[0][lane] = (carried[0][lane] + here[lane]) * near_decay;
                carried[1][lane] = (carried[1][lane] + here[lane]) * wide_decay;
            }
            *score += says.iter().sum::<f32>();
        }
    }
}

/// Adds to each score what the scores around it say: at most `share` of the best score.
pub(super) fn spread(along: &mut [f32], decays: &[f32], share: f32) {
    let mut around = vec![0.0; along.len()];
    let mut carried = 0.0;
    for at in 0..along.len() {
        carried *= decays[at];
        around[at] = carried;
        carried += along[at];
    }
    carried = 0.0;
    for at in (0..along.len()).rev() {
        around[at] += carried;
        carried = (carried + along[at]) * decays[at];
    }
    let most = |scores: &[f32]| scores.iter().copied().fold(0.0, f32::max);
    let (best, most_around) = (most(along), most(&around));
    if most_around > 0.0 {
        along.iter_mut().zip(&around).for_each(|(score, around)| *score += share * best * around / most_around);
    }
}
