import { z } from 'zod';
import { Role } from '../authority.ts';
import { ExecutorRef } from '../hold/executor-ref.ts';
import { setting } from '../setting.ts';
import { Name } from '../values.ts';

const Executors = z.array(ExecutorRef).min(1).max(50);
const Dollars = z.number().positive().max(1_000_000);

/** The bounds in a project's fields. */
export const PROJECT_BOUNDS = {
  allowExecutors: Executors.optional(),
  sandbox: z.enum(['required']).optional(),
  maxBudgetUsd: Dollars.optional(),
};

/** A bound as `runtime.toml` spells it. */
const SettingBound = z.strictObject({
  executors: Executors.optional(),
  sandbox: z.enum(['required']).optional(),
  max_budget_usd: Dollars.optional(),
});
export const BOUND_FIELDS = Object.keys(SettingBound.shape) as readonly (keyof z.infer<typeof SettingBound>)[];

/** The bounds of tasks by role and by team. */
export const BOUND_SETTINGS = {
  bounds_role: setting({
    summary:
      'bounds of tasks made with a token of a role, by the name of the role: `executors`, `sandbox = "required"`, `max_budget_usd`',
    schema: z.partialRecord(Role, SettingBound),
    default: {},
    env: 'FLEET_BOUNDS_ROLE',
  }),
  bounds_team: setting({
    summary: 'bounds of the tasks of a team, by the name of the team: `executors`, `sandbox = "required"`, `max_budget_usd`',
    schema: z.record(Name, SettingBound),
    default: {},
    env: 'FLEET_BOUNDS_TEAM',
  }),
};
