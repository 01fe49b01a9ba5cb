/** Nobody tells when there is room on a disk again. */
export const LOOK_FOR_ROOM_MS = 2_000;
