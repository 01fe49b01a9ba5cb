/** A failed step. It ends the scenario, unless the step has the prefix `try`. */
export class StepFailed extends Error {}
