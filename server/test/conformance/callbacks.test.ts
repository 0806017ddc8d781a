import { emailSimulations } from '../simulators/all.ts';
import { examineCallbacks } from './callback-exam.ts';

for (const simulation of emailSimulations)
  if (simulation.callbacks) examineCallbacks(simulation, simulation.callbacks);
