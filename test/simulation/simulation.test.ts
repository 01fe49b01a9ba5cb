import { simulation } from './seeds.ts';

simulation(0);
