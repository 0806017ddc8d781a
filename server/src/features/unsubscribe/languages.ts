/** The texts of the page. `{name}` is the name of the category. To add a language, add an entry. */
export interface Texts {
  title: string;
  ask: string;
  button: string;
  keep: string;
  doneTitle: string;
  done: string;
  lostTitle: string;
  lost: string;
}

const english: Texts = {
  title: 'Unsubscribe',
  ask: 'Do you want to stop receiving emails about “{name}”?',
  button: 'Unsubscribe',
  keep: 'To keep receiving them, close this page.',
  doneTitle: 'You are unsubscribed',
  done: 'You will no longer receive emails about “{name}”.',
  lostTitle: 'This link does not work',
  lost: 'The link is incomplete or has been altered. Please open the link in the email again.',
};

export const languages: Record<string, Texts> = {
  en: english,
  it: {
    title: 'Annulla l’iscrizione',
    ask: 'Vuoi smettere di ricevere le email su “{name}”?',
    button: 'Annulla l’iscrizione',
    keep: 'Se vuoi continuare a riceverle, chiudi semplicemente questa pagina.',
    doneTitle: 'Iscrizione annullata',
    done: 'Non riceverai più email su “{name}”.',
    lostTitle: 'Questo link non funziona',
    lost: 'È incompleto o è stato modificato. Apri di nuovo il link dall’email.',
  },
  de: {
    title: 'Abmelden',
    ask: 'Möchten Sie keine E-Mails mehr zu „{name}“ erhalten?',
    button: 'Abmelden',
    keep: 'Wenn Sie sie weiterhin erhalten möchten, schließen Sie einfach diese Seite.',
    doneTitle: 'Sie sind abgemeldet',
    done: 'Sie erhalten keine E-Mails mehr zu „{name}“.',
    lostTitle: 'Dieser Link funktioniert nicht',
    lost: 'Er ist unvollständig oder wurde verändert. Bitte öffnen Sie den Link in der E-Mail noch einmal.',
  },
  fr: {
    title: 'Se désabonner',
    ask: 'Souhaitez-vous ne plus recevoir d’e-mails sur « {name} » ?',
    button: 'Se désabonner',
    keep: 'Pour continuer à les recevoir, fermez simplement cette page.',
    doneTitle: 'Désabonnement effectué',
    done: 'Vous ne recevrez plus d’e-mails sur « {name} ».',
    lostTitle: 'Ce lien ne fonctionne pas',
    lost: 'Il est incomplet ou a été modifié. Ouvrez à nouveau le lien depuis l’e-mail.',
  },
  es: {
    title: 'Cancelar la suscripción',
    ask: '¿Quiere dejar de recibir correos sobre «{name}»?',
    button: 'Cancelar la suscripción',
    keep: 'Si quiere seguir recibiéndolos, simplemente cierre esta página.',
    doneTitle: 'Suscripción cancelada',
    done: 'Ya no recibirá correos sobre «{name}».',
    lostTitle: 'Este enlace no funciona',
    lost: 'Está incompleto o ha sido modificado. Abra de nuevo el enlace desde el correo.',
  },
  pt: {
    title: 'Cancelar a subscrição',
    ask: 'Quer deixar de receber e-mails sobre “{name}”?',
    button: 'Cancelar a subscrição',
    keep: 'Se quiser continuar a recebê-los, basta fechar esta página.',
    doneTitle: 'Subscrição cancelada',
    done: 'Já não receberá e-mails sobre “{name}”.',
    lostTitle: 'Este link não funciona',
    lost: 'Está incompleto ou foi alterado. Abra novamente o link a partir do e-mail.',
  },
  nl: {
    title: 'Afmelden',
    ask: 'Wilt u geen e-mails meer ontvangen over “{name}”?',
    button: 'Afmelden',
    keep: 'Wilt u ze blijven ontvangen, sluit dan gewoon deze pagina.',
    doneTitle: 'U bent afgemeld',
    done: 'U ontvangt geen e-mails meer over “{name}”.',
    lostTitle: 'Deze link werkt niet',
    lost: 'De link is onvolledig of gewijzigd. Open de link opnieuw vanuit de e-mail.',
  },
};

/** Returns the first supported language of `Accept-Language`, by preference, or English. */
export function languageFor(accepted: string | undefined): { language: string; texts: Texts } {
  const wanted = (accepted ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((parameter) => /^\s*q=([\d.]+)\s*$/.exec(parameter)?.[1]).find(Boolean);
      return { language: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ language, weight }) => weight > 0 && Object.hasOwn(languages, language))
    .sort((one, other) => other.weight - one.weight);
  const language = wanted[0]?.language ?? 'en';
  return { language, texts: languages[language] ?? english };
}
