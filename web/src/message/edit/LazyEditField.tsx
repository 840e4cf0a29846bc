/** The field in which a message is changed, from a file of its own: few messages are. */
import { late } from '../../parts/lazy_part';

export const LateEditField = late(() => import('./EditField').then((file) => file.EditField));
