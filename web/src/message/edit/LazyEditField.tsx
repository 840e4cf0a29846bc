/** The field in which a message is changed, from a file of its own: few messages are. */
import { lazyPart } from '../../parts/lazy_part';

export const LazyEditField = lazyPart(() => import('./EditField').then((file) => file.EditField));
