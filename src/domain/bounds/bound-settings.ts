import { z } from 'zod';
import { Role } from '../authority.ts';
import { ExecutorRef } from '../hold/executor-ref.ts';
import { setting } from '../setting.ts';
import { Name } from '../values.ts';

const Executors = z.array(ExecutorRef).min(1).max(50);
const Dollars = z.number().positive().max(1_000_000);

/** As a project has them. */
export const PROJECT_BOUNDS = {
  allowExecutors: Executors.optional(),
  sandbox: z.enum(['required']).optional(),
  maxBudgetUsd: Dollars.optional(),
};

/** As the settings say them. */
const SettingBound = z.strictObject({
  executors: Executors.optional(),
  sandbox: z.enum(['required']).optional(),
  max_budget_usd: Dollars.optional(),
});
export const BOUND_FIELDS = Object.keys(SettingBound.shape) as readonly (keyof z.infer<typeof SettingBound>)[];

/** What tasks are held to, by who makes them. */
export const BOUND_SETTINGS = {
  bounds_role: setting({
    summary:
      'what tasks made with a token of a role are held to: `executors`, `sandbox = "required"`, `max_budget_usd`; by the name of the role',
    schema: z.partialRecord(Role, SettingBound),
    default: {},
    env: 'FLEET_BOUNDS_ROLE',
  }),
  bounds_team: setting({
    summary:
      'what the tasks of a team are held to: `executors`, `sandbox = "required"`, `max_budget_usd`; by the name of the team',
    schema: z.record(Name, SettingBound),
    default: {},
    env: 'FLEET_BOUNDS_TEAM',
  }),
};
