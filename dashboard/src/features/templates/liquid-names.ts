/** The filters of the service; a test tries each one there. */
export const liquidFilters =
  `abs append array_to_sentence_string at_least at_most base64_decode base64_encode capitalize ceil
  cgi_escape compact concat date date_to_rfc822 date_to_xmlschema default divided_by downcase escape escape_once find find_index
  first floor group_by has join json last lstrip map minus modulo newline_to_br number_of_words plus prepend raw reject remove
  remove_first remove_last replace replace_first replace_last reverse round rstrip sha256 size slice slugify sort sort_natural
  split squish strip strip_html strip_newlines sum t times to_integer truncate truncatewords uniq upcase uri_escape url_decode
  url_encode where xml_escape`.split(/\s+/);

export const liquidTags =
  `assign break capture case comment continue cycle decrement echo else elsif endcapture endcase endcomment endfor
  endif endraw endtablerow endunless for if increment liquid raw render tablerow unless when`.split(/\s+/);
