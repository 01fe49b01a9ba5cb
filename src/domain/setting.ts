import { z } from 'zod';

/** One setting of the home: its meaning, its valid values, and its default. */
interface Setting<Schema extends z.ZodType> {
  readonly summary: string;
  readonly schema: Schema;
  readonly default: z.infer<Schema> | undefined;
  /** The environment variable that overrides the file. */
  readonly env: `FLEET_${string}`;
}

export const setting = <Schema extends z.ZodType>(definition: Setting<Schema>): Setting<Schema> => definition;

export const count = (most: number) => z.int().min(1).max(most);
