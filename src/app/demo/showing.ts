import { beatLine, frame, type Scene } from '../../surfaces/cli/demo/frame.ts';
import type { Io } from '../../surfaces/cli/deps.ts';
import { isLive, picture } from '../../surfaces/cli/terminal/redraw.ts';
import { painted } from '../../surfaces/cli/terminal/rich.ts';
import { viewStyleOf } from '../../surfaces/cli/views/style.ts';

export type Show = (scene: Scene) => Promise<void>;

/** A picture that is drawn again and again for whoever looks; elsewhere a line for each thing that happens; for a program nothing. */
export function showing(io: Io, json: boolean): Show {
  if (json) return async () => undefined;
  const look = viewStyleOf({ ...io, input: {} });
  if (isLive(io)) {
    const screen = picture(io);
    return (scene) => screen.draw(frame(scene, look));
  }
  let told = 0;
  return async ({ story }) => {
    const fresh = story.slice(told);
    told = story.length;
    if (fresh.length > 0) await io.out(fresh.map((beat) => `${painted(beatLine(beat, look.paint))}\n`).join(''));
  };
}
