import { z } from 'zod';
import { textField } from '../app/search-fields.ts';

export const search = z.object({ q: textField });
