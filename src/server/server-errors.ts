import { type ActionableError, type SampleKey, UsageError } from '../base/index.ts';

export function noSample(place: string, { id, epoch }: SampleKey): ActionableError {
  return new UsageError({
    code: 'E_SAMPLE_UNKNOWN',
    message: `${place} has no sample ${id} at epoch ${epoch}.`,
    hint: 'Look at the samples of the run: it may have another id, or fewer epochs.',
  });
}

export function noText(at: string): ActionableError {
  return new UsageError({
    code: 'E_TEXT_PLACE',
    message: `There is no text at "${at.slice(0, 60)}".`,
    hint: 'Load the sample again: it may have changed since.',
  });
}

export function noEvent(index: string): ActionableError {
  return new UsageError({
    code: 'E_EVENT_UNKNOWN',
    message: `The transcript has no event ${index.slice(0, 60)}.`,
    hint: 'Load the sample again: the link may be of another attempt.',
  });
}
