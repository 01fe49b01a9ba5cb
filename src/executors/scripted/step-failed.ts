/** A step could not do what it says. It ends the scenario, unless the step is tried. */
export class StepFailed extends Error {}
