import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the checkout, wherever the command was started from. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)));
