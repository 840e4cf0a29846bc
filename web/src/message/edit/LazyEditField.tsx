/** Loads the editor from a separate file. */
import { lazyPart } from '../../parts/loading/lazy_part';

export const LazyEditField = lazyPart(() => import('./EditField').then((file) => file.EditField));
