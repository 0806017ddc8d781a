import type { VerifyEmailProviderResult } from '@carillon/sdk';
import { useState } from 'react';
import { useEnvironment } from '../../api/environment.tsx';
import { useToast } from '../../ui/index.ts';
import type { ChainChannel } from './provider-kinds.ts';

export type Verdict = VerifyEmailProviderResult | 'asking';

/** The verification results of this visit to the page. */
export function useVerdicts(channel: ChainChannel) {
  const { api, environment } = useEnvironment();
  const toast = useToast();
  const [verdicts, setVerdicts] = useState<Readonly<Record<string, Verdict>>>({});
  const forget = (id: string) => setVerdicts(({ [id]: _forgotten, ...others }) => others);
  return {
    verdicts,
    forget,
    async verify(id: string) {
      setVerdicts((all) => ({ ...all, [id]: 'asking' }));
      try {
        const verdict = await (channel === 'email' ? api.emailSettings : api.smsSettings).verifyProvider(
          environment.id,
          id,
        );
        setVerdicts((all) => ({ ...all, [id]: verdict }));
      } catch (error) {
        forget(id);
        toast.error(error);
      }
    },
  };
}
