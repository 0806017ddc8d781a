import { type PageLanguage, preferredLanguage } from '../../../http/hosted-page.ts';

/** The texts of the page. `{name}` is the name of the category. */
interface Texts {
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

export const languages: Record<PageLanguage, Texts> = {
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
  pl: {
    title: 'Rezygnacja z subskrypcji',
    ask: 'Czy nie chcesz już otrzymywać wiadomości e-mail na temat „{name}”?',
    button: 'Zrezygnuj z subskrypcji',
    keep: 'Jeśli chcesz je nadal otrzymywać, zamknij tę stronę.',
    doneTitle: 'Subskrypcja anulowana',
    done: 'Nie będziesz już otrzymywać wiadomości e-mail na temat „{name}”.',
    lostTitle: 'Ten link nie działa',
    lost: 'Link jest niekompletny lub został zmieniony. Otwórz go ponownie z wiadomości e-mail.',
  },
  ja: {
    title: '配信停止',
    ask: '「{name}」に関するメールの受信を停止しますか？',
    button: '配信を停止する',
    keep: '引き続き受信する場合は、このページを閉じてください。',
    doneTitle: '配信を停止しました',
    done: '今後、「{name}」に関するメールは届きません。',
    lostTitle: 'このリンクは使用できません',
    lost: 'リンクが不完全か、変更されています。メールのリンクをもう一度開いてください。',
  },
  ar: {
    title: 'إلغاء الاشتراك',
    ask: 'هل تريد التوقف عن تلقي رسائل البريد الإلكتروني حول «{name}»؟',
    button: 'إلغاء الاشتراك',
    keep: 'لمواصلة تلقيها، أغلق هذه الصفحة.',
    doneTitle: 'تم إلغاء اشتراكك',
    done: 'لن تتلقى بعد الآن رسائل بريد إلكتروني حول «{name}».',
    lostTitle: 'هذا الرابط لا يعمل',
    lost: 'الرابط غير مكتمل أو تم تغييره. يُرجى فتح الرابط من البريد الإلكتروني مرة أخرى.',
  },
};

export function languageFor(accepted: string | undefined): { language: PageLanguage; texts: Texts } {
  const language = preferredLanguage(accepted);
  return { language, texts: languages[language] };
}
